#include "views.hpp"

#include <algorithm>
#include <cstring>

namespace nearfork::model {

void view_table::clear() {
  entries_.assign(1, {});
  stamps_.clear();
  joins_.clear();
  withs_.clear();
  clocks_.clear();
  coherences_.clear();
  by_hash_.clear();
  draft_.clear();
  draft_clock_ = {};
  intern();
}

view_id view_table::intern() {
  while (!draft_.empty() && draft_.back() == 0) draft_.pop_back();
  hash128 hash;
  hash.add(draft_clock_.data(), draft_clock_.size());
  hash.add(draft_.data(), draft_.size() * sizeof(timestamp));
  // Linear probing over hashes: a different view under the same hash moves on to the next key.
  for (std::uint64_t key = hash.low;; ++key) {
    const view_id found = by_hash_.find(key);
    if (found == flat_map::none) {
      // The empty view is entry 0, made by clear().
      const bool empty = draft_.empty() && draft_clock_ == decltype(draft_clock_){};
      view_id id = bottom;
      if (!empty) {
        id = static_cast<view_id>(entries_.size());
        entries_.push_back({static_cast<std::uint32_t>(stamps_.size()),
                            static_cast<std::uint32_t>(draft_.size()), draft_clock_});
        stamps_.insert(stamps_.end(), draft_.begin(), draft_.end());
      }
      by_hash_.insert(key, id);
      return id;
    }
    const entry& e = entries_[found];
    if (e.clock == draft_clock_ && e.locations == draft_.size() &&
        std::equal(draft_.begin(), draft_.end(), stamps_.begin() + e.first))
      return found;
  }
}

view_id view_table::join(view_id a, view_id b) {
  if (a == b || b == bottom) return a;
  if (a == bottom) return b;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  if (const view_id known = joins_.find(key); known != flat_map::none) return known;
  const entry x = entries_[a];
  const entry y = entries_[b];
  draft_.assign(std::max(x.locations, y.locations), 0);
  for (std::uint32_t i = 0; i < x.locations; ++i) draft_[i] = stamps_[x.first + i];
  for (std::uint32_t i = 0; i < y.locations; ++i)
    draft_[i] = std::max(draft_[i], stamps_[y.first + i]);
  for (unsigned t = 0; t < max_threads; ++t) draft_clock_[t] = std::max(x.clock[t], y.clock[t]);
  const view_id id = intern();
  joins_.insert(key, id);
  return id;
}

view_id view_table::with(view_id v, location_id loc, timestamp time) {
  if (at(v, loc) >= time) return v;
  const std::uint64_t key = (std::uint64_t{v} << 32) | (std::uint64_t{loc} << 16) | time;
  if (const view_id known = withs_.find(key); known != flat_map::none) return known;
  const entry x = entries_[v];
  draft_.assign(std::max<std::size_t>(x.locations, loc + std::size_t{1}), 0);
  for (std::uint32_t i = 0; i < x.locations; ++i) draft_[i] = stamps_[x.first + i];
  draft_[loc] = time;
  draft_clock_ = x.clock;
  const view_id id = intern();
  withs_.insert(key, id);
  return id;
}

view_id view_table::with_clock(view_id v, unsigned thread, std::uint8_t value) {
  if (clock(v, thread) >= value) return v;
  const std::uint64_t key = (std::uint64_t{v} << 32) | (thread << 8) | value;
  if (const view_id known = clocks_.find(key); known != flat_map::none) return known;
  const entry x = entries_[v];
  draft_.assign(stamps_.begin() + x.first, stamps_.begin() + x.first + x.locations);
  draft_clock_ = x.clock;
  draft_clock_[thread] = value;
  const view_id id = intern();
  clocks_.insert(key, id);
  return id;
}

view_id view_table::coherence_of(view_id v) {
  if (const view_id known = coherences_.find(v); known != flat_map::none) return known;
  const entry x = entries_[v];
  draft_.assign(stamps_.begin() + x.first, stamps_.begin() + x.first + x.locations);
  draft_clock_ = {};
  const view_id id = intern();
  coherences_.insert(v, id);
  return id;
}

}  // namespace nearfork::model
