/// @file
/// Hashing of states: two independent 64-bit accumulators, so that a collision among 10^8 states
/// is less likely than 10^-20.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearfork::model {

inline std::uint64_t multiply_mix(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

struct hash128 {
  std::uint64_t low = 0x9e3779b97f4a7c15u;
  std::uint64_t high = 0xd1b54a32d192ed03u;

  void add(std::uint64_t word) noexcept {
    low = multiply_mix(low ^ word, 0xa0761d6478bd642fu) + 0x8ebc6af09c88c6e3u;
    high = multiply_mix(high + word, 0xe7037ed1a0b428dbu) ^ (word * 0x589965cc75374cc3u);
  }
  void add(const void* bytes, std::size_t size) noexcept {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (; size >= 8; size -= 8, at += 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      add(word);
    }
    if (size > 0) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, size);
      add(word ^ (size << 56));
    }
  }
  bool operator==(const hash128&) const = default;
};

}  // namespace nearfork::model
