/// \file
/// Random numbers whose sequence is fixed to the bit, so that published runs can be repeated.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace nearfork::sim {

/// A seed sequence that fills the state of `std::mt19937` as the reference implementation's
/// `init_by_array` does. `std::seed_seq` mixes differently, so the generator would run through
/// other numbers than the ones that the expected values were drawn with.
class init_by_array {
 public:
  using result_type = std::uint32_t;

  /// \param key at least one word; \throws std::invalid_argument when it is empty.
  init_by_array(std::initializer_list<std::uint32_t> key);

  /// Writes the state, 624 words, to [first, last).
  template <class Iterator>
  void generate(Iterator first, Iterator last) const {
    for (std::size_t i = 0; first != last; ++first, ++i) *first = state_[i % state_.size()];
  }
  std::size_t size() const noexcept { return key_.size(); }
  template <class Output>
  void param(Output out) const {
    for (const std::uint32_t word : key_) *out++ = word;
  }

 private:
  std::vector<std::uint32_t> key_;
  std::array<std::uint32_t, std::mt19937::state_size> state_{};
};

/// The generator of one simulated run.
class generator {
 public:
  explicit generator(std::uint32_t seed) {
    init_by_array key{seed};
    engine_ = std::mt19937(key);
  }

  /// The next 32 bits.
  std::uint32_t next() { return static_cast<std::uint32_t>(engine_()); }

  /// A number in [0, bound), uniform: the top k bits of the next output, k the bit length of
  /// \p bound, drawn again while they are not below it. \p bound is at least 1.
  std::uint32_t below(std::uint32_t bound) {
    const std::uint32_t shift = 32U - static_cast<std::uint32_t>(std::bit_width(bound));
    std::uint32_t r = next() >> shift;
    while (r >= bound) r = next() >> shift;
    return r;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace nearfork::sim
