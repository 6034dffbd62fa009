/// @file
/// An open-addressing map from 64-bit keys to 32-bit values, for the memoised view operations.
#pragma once

#include <cstdint>
#include <vector>

#include "mix.hpp"

namespace nearfork::model {

class flat_map {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  flat_map() : slots_(1024) {}

  void clear() {
    slots_.assign(1024, {});
    used_ = 0;
  }

  /// The value under `key`, or none.
  std::uint32_t find(std::uint64_t key) const noexcept {
    for (std::size_t i = place(key);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].value == none) return none;
      if (slots_[i].key == key) return slots_[i].value;
    }
  }

  /// Adds a key that is not there yet.
  void insert(std::uint64_t key, std::uint32_t value) {
    if (++used_ * 2 > slots_.size()) grow();
    put(key, value);
  }

 private:
  struct slot {
    std::uint64_t key = 0;
    std::uint32_t value = none;
  };

  std::size_t place(std::uint64_t key) const noexcept {
    return multiply_mix(key ^ 0x2d358dccaa6c78a5u, 0x8bb84b93962eacc9u) & (slots_.size() - 1);
  }
  void put(std::uint64_t key, std::uint32_t value) noexcept {
    std::size_t i = place(key);
    while (slots_[i].value != none) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {key, value};
  }
  void grow() {
    std::vector<slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const slot& s : old)
      if (s.value != none) put(s.key, s.value);
  }

  std::vector<slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace nearfork::model
