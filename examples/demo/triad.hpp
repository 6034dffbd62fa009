/// \file
/// The STREAM triad (McCalpin), a[i] = b[i] + s c[i]: as much memory traffic as the machine gives.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/fork.hpp"

namespace demo {

inline constexpr std::size_t triad_grain = std::size_t{1} << 15;  ///< elements a piece
inline constexpr std::size_t triad_passes = 9;                    ///< a multiple of three
inline constexpr double triad_scale = 0.25;

/// Three arrays, not yet filled: the pages come when they are first written.
struct triad_arrays {
  static constexpr std::size_t bytes_an_element = 3 * sizeof(double);

  explicit triad_arrays(std::size_t n)
      : size(n),
        a(std::make_unique_for_overwrite<double[]>(n)),
        b(std::make_unique_for_overwrite<double[]>(n)),
        c(std::make_unique_for_overwrite<double[]>(n)) {}

  std::size_t size;
  std::unique_ptr<double[]> a, b, c;
};

/// Puts the start values in, piece by piece as the passes will visit them.
template <class Fork>
void fill(triad_arrays& t, Fork fork) {
  common::for_pieces(0, t.size, triad_grain, fork, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      t.a[i] = 0.0;
      t.b[i] = 1.0 + static_cast<double>(i % 1021) * 0x1p-10;
      t.c[i] = 2.0 - static_cast<double>(i % 509) * 0x1p-9;
    }
  });
}

/// Runs the passes. The arrays change roles from pass to pass, so that a wrong element in any pass
/// shows in the end.
template <class Fork>
void triad(triad_arrays& t, Fork fork) {
  double* to = t.a.get();
  double* x = t.b.get();
  double* y = t.c.get();
  for (std::size_t pass = 0; pass < triad_passes; ++pass) {
    common::for_pieces(0, t.size, triad_grain, fork, [&](std::size_t first, std::size_t last) {
      double* const a = to;
      const double* const b = x;
      const double* const c = y;
      for (std::size_t i = first; i < last; ++i) {
        a[i] = b[i] + triad_scale * c[i];
      }
    });
    to = std::exchange(x, std::exchange(y, to));
  }
}

/// A digest of all bits of the arrays, in which order counts.
inline std::uint64_t digest(const triad_arrays& t) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < t.size; ++i) {
    for (const double value : {t.a[i], t.b[i], t.c[i]}) {
      sum = (sum ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
      sum ^= sum >> 32;
    }
  }
  return sum;
}

}  // namespace demo
