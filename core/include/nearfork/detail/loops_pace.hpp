/// \file
/// How long a piece of an adaptive loop should be: found out while it runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nearfork::detail {

#if defined(__x86_64__)
/// The cheapest clock there is; its unit differs from machine to machine, its order of magnitude
/// does not.
inline std::uint64_t ticks() noexcept { return __rdtsc(); }
/// Two to four microseconds: the price of a fork and a look at the clock is a few thousandths of
/// it, and a thief is not kept waiting for long.
inline std::uint64_t piece_ticks() noexcept { return 8192; }
#elif defined(__aarch64__)
inline std::uint64_t ticks() noexcept {
  std::uint64_t t;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(t));
  return t;
}
inline std::uint64_t piece_ticks() noexcept {
  std::uint64_t hertz;
  __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
  return std::max<std::uint64_t>(1, hertz / 333'333);
}
#else
inline std::uint64_t ticks() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
inline std::uint64_t piece_ticks() noexcept { return 3000; }
#endif

/// Measures one worker's walk through a range. Nothing is known at first: a piece is one grain.
/// The clock is read only every few pieces: when half a good piece's indices have gone by.
class pace {
 public:
  explicit pace(std::uint64_t grain) noexcept : grain_(grain), last_(ticks()) {}

  std::uint64_t grain() const noexcept { return grain_; }
  /// No part of at most so many indices is worth splitting unless somebody asks.
  std::uint64_t piece() const noexcept { return std::max(piece_, 2 * grain_ - 1); }
  /// How many to run between two looks for hungry thieves: an eighth of a piece, in case the
  /// indices to come take longer than those seen.
  std::uint64_t step() const noexcept { return std::max(piece_ / 8, grain_); }

  /// \p n more indices are done.
  void done(std::uint64_t n) noexcept {
    since_ += n;
    if (since_ >= look_at_) look();
  }

 private:
  static constexpr std::uint64_t longest = std::uint64_t{1} << 40;

  void look() noexcept {
    const std::uint64_t now = ticks();
    const std::uint64_t spent = std::max<std::uint64_t>(now - last_, 1);
    // Counters of different cores may differ a little: a difference below zero looks like a long
    // time, and the next look puts it right.
    piece_ = since_ > longest
                 ? longest
                 : std::clamp<std::uint64_t>(since_ * piece_ticks() / spent, 1, longest);
    look_at_ = std::max<std::uint64_t>(1, piece_ / 2);
    last_ = now;
    since_ = 0;
  }

  std::uint64_t grain_;
  std::uint64_t last_;
  std::uint64_t since_ = 0;
  std::uint64_t look_at_ = 1;
  std::uint64_t piece_ = 1;
};

}  // namespace nearfork::detail
