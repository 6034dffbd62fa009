/// \file
/// Test data that any worker can make at any index.
#pragma once

#include <cstdint>

namespace common {

/// 64 well-mixed bits of \p index (the finaliser of SplitMix64, Steele et al. 2014).
constexpr std::uint64_t mix(std::uint64_t index) noexcept {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace common
