/// @file
/// The states already explored. Each keeps the sleep set it was explored with (what was left out
/// because an equivalent schedule covers it) or, when schedules are counted, how many complete
/// schedules start there.
#pragma once

#include <cstdint>
#include <vector>

#include "mix.hpp"

namespace nearfork::model {

class memo {
 public:
  memo() : slots_(1 << 12) {}

  struct entry {
    hash128 key{0, 0};
    std::uint64_t value = 0;
  };

  /// The entry of the state, new ones with `fresh` set. Valid until the next call.
  entry& visit(const hash128& key, std::uint64_t initial, bool& fresh) {
    if (used_ * 3 > slots_.size() * 2) grow();
    entry& e = slots_[place(key)];
    fresh = e.key == hash128{0, 0};
    if (fresh) {
      e = {key, initial};
      ++used_;
    }
    return e;
  }
  std::size_t size() const noexcept { return used_; }
  void clear() {
    slots_.assign(1 << 12, {});
    used_ = 0;
  }

 private:
  std::size_t place(const hash128& key) const noexcept {
    std::size_t i = key.low & (slots_.size() - 1);
    while (!(slots_[i].key == hash128{0, 0}) && !(slots_[i].key == key))
      i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<entry> old(slots_.size() * 2);
    old.swap(slots_);
    for (const entry& e : old)
      if (!(e.key == hash128{0, 0})) slots_[place(e.key)] = e;
  }

  std::vector<entry> slots_;
  std::size_t used_ = 0;
};

}  // namespace nearfork::model
