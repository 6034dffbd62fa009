#include "random.hpp"

#include <algorithm>
#include <stdexcept>

namespace nearfork::sim {

// Matsumoto and Nishimura's initialisation: a linear congruential fill, then two passes that mix
// the key in. Unsigned arithmetic modulo 2^32 throughout.
init_by_array::init_by_array(std::initializer_list<std::uint32_t> key) : key_(key) {
  if (key_.empty()) throw std::invalid_argument("init_by_array: the key is empty");
  constexpr std::size_t n = std::mt19937::state_size;
  state_[0] = 19650218U;
  for (std::size_t i = 1; i < n; ++i) {
    state_[i] =
        1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + static_cast<std::uint32_t>(i);
  }
  std::size_t i = 1;
  const auto mixed = [&](std::uint32_t factor) {
    return state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * factor);
  };
  const auto step = [&] {
    if (++i == n) {
      state_[0] = state_[n - 1];
      i = 1;
    }
  };
  std::size_t j = 0;
  for (std::size_t k = std::max(n, key_.size()); k > 0; --k) {
    state_[i] = mixed(1664525U) + key_[j] + static_cast<std::uint32_t>(j);
    step();
    if (++j == key_.size()) j = 0;
  }
  for (std::size_t k = n - 1; k > 0; --k) {
    state_[i] = mixed(1566083941U) - static_cast<std::uint32_t>(i);
    step();
  }
  state_[0] = 0x80000000U;  // never all zero
}

}  // namespace nearfork::sim
