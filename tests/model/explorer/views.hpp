/// @file
/// Views: for each location the newest message known of, and for each thread how much of it
/// happens before (a vector clock). Hash-consed: equal views have equal ids, and joins are
/// remembered, so a step of the explorer costs a few table look-ups.
///
/// The two parts are kept apart on purpose. Coherence (which messages may still be read) also
/// travels through SC fences; happens-before (which accesses cannot race) does not, since fences
/// synchronise only through a message that was read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flat_map.hpp"

namespace nearfork::model {

using view_id = std::uint32_t;
using location_id = std::uint16_t;
using timestamp = std::uint16_t;

inline constexpr unsigned max_threads = 8;

class view_table {
 public:
  static constexpr view_id bottom = 0;

  view_table() { clear(); }
  void clear();

  timestamp at(view_id v, location_id loc) const noexcept {
    const entry& e = entries_[v];
    return loc < e.locations ? stamps_[e.first + loc] : timestamp{0};
  }
  std::uint8_t clock(view_id v, unsigned thread) const noexcept {
    return entries_[v].clock[thread];
  }

  /// Least upper bound.
  view_id join(view_id a, view_id b);
  /// `v` with at least `time` at `loc`.
  view_id with(view_id v, location_id loc, timestamp time);
  /// `v` with the thread's clock at `value`.
  view_id with_clock(view_id v, unsigned thread, std::uint8_t value);
  /// `v` without its vector clock.
  view_id coherence_of(view_id v);

  std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct entry {
    std::uint32_t first = 0;
    std::uint32_t locations = 0;
    std::array<std::uint8_t, max_threads> clock{};
  };

  view_id intern();

  std::vector<entry> entries_;
  std::vector<timestamp> stamps_;
  flat_map joins_, withs_, clocks_, coherences_;
  flat_map by_hash_;
  // The view being built.
  std::vector<timestamp> draft_;
  std::array<std::uint8_t, max_threads> draft_clock_{};
};

}  // namespace nearfork::model
