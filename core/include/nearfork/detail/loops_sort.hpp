/// \file
/// Sorting by all workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <nearfork/detail/loops_control.hpp>
#include <nearfork/detail/loops_distribute.hpp>
#include <nearfork/detail/loops_sort_serial.hpp>
#include <nearfork/detail/loops_split.hpp>
#include <new>
#include <optional>
#include <utility>

namespace nearfork::detail {

/// Below this a range is sorted by one worker: some tens of microseconds.
inline constexpr std::ptrdiff_t sort_alone = 4096;
/// From here on elements are distributed first.
inline constexpr std::ptrdiff_t sort_by_distribution = std::ptrdiff_t{1} << 16;

/// Quicksort whose halves are tasks. Exceptions halt the control; what is not begun then is left
/// as it is.
template <class It, class Less>
void quicksort_parallel(context& c, loop_control& control, It first, It last, Less& less,
                        bool leftmost, int bad_steps) noexcept {
  if (control.halted()) return;
  try {
    if (last - first <= sort_alone || bad_steps == 0) {
      return quicksort(first, last, less, leftmost, bad_steps);
    }
    const sort_step<It> step = split_by_pivot(first, last, less, leftmost);
    const int bad = step.balanced ? bad_steps : bad_steps - 1;
    auto left = [&](context& here) noexcept {
      quicksort_parallel(here, control, first, step.left_end, less, leftmost, bad);
    };
    auto right = [&](context& here) noexcept {
      quicksort_parallel(here, control, step.right_begin, last, less, false, bad);
    };
    join_in(c, left, right);
  } catch (...) {
    control.fail();
  }
}

/// Whether [first, last) is sorted already, or was in the strictly opposite order and has been
/// reversed. One pass over the range at most; of unsorted ranges a few elements.
template <class It, class Less>
bool sorted_already(context& c, loop_control& control, It first, It last, Less& less) {
  using difference = std::iter_difference_t<It>;
  const auto n = static_cast<std::uint64_t>(last - first);
  const bool falling = less(first[1], first[0]);
  const auto in_order = [&](std::uint64_t i) {
    const auto at = static_cast<difference>(i);
    return less(first[at + 1], first[at]) == falling;
  };
  for (std::uint64_t i = 1; i < std::min<std::uint64_t>(n - 1, 64); ++i) {
    if (!in_order(i)) return false;
  }
  std::atomic<bool> all{true};
  auto check = [&](context&, std::uint64_t from, std::uint64_t to) {
    if (!all.load(std::memory_order_relaxed)) return;
    for (std::uint64_t i = from; i < to; ++i) {
      if (!in_order(i)) return all.store(false, std::memory_order_relaxed);
    }
  };
  adaptive_loop(control, check, 256).run(c, 0, n - 1);
  if (control.halted()) return true;  // failed: nothing more to do
  if (!all.load(std::memory_order_relaxed)) return false;
  if (!falling) return true;
  auto reverse = [&](context&, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      std::iter_swap(first + static_cast<difference>(i),
                     first + static_cast<difference>(n - 1 - i));
    }
  };
  adaptive_loop(control, reverse, 256).run(c, 0, n / 2);
  return true;
}

/// Distributes the elements and calls finish(context, buffer, where it belongs, length) for every
/// bucket; finish does not throw, puts the bucket's elements back and sorts them.
/// Returns whether it was done (or halted); false: there was no memory, and nothing has happened.
template <class It, class Less, class Finish>
bool sort_buckets(context& c, loop_control& control, It first, It last, Less& less, Finish finish) {
  const auto n = static_cast<std::size_t>(last - first);
  using sorter = distribution_sort<It, Less>;
  std::optional<sorter> s;
  try {
    s.emplace(control, first, n, less);
  } catch (const std::bad_alloc&) {
    return false;
  }
  s->choose_splitters();
  s->classify(c);
  if (control.halted()) return true;
  s->scatter(c);
  auto bucket = [&](context& here, std::uint64_t k) noexcept {
    const std::size_t start = s->start(k);
    const std::size_t length = s->start(k + 1) - start;
    if (length == 0) return;
    finish(here, s->buffer() + start, first + static_cast<std::iter_difference_t<It>>(start),
           static_cast<std::ptrdiff_t>(length));
    std::destroy_n(s->buffer() + start, length);
  };
  run_numbered(c, 0, s->buckets(), bucket);
  return true;
}

template <class It, class Less>
void sort_unstable(context& c, loop_control& control, It first, It last, Less& less) {
  const std::ptrdiff_t n = last - first;
  if (sorted_already(c, control, first, last, less)) return;
  if constexpr (moves_safely<element_of<It>>) {
    if (n >= sort_by_distribution) {
      const auto finish = [&](context& here, auto* from, It to, std::ptrdiff_t length) noexcept {
        std::move(from, from + length, to);
        quicksort_parallel(here, control, to, to + length, less, true, bad_steps_for(length));
      };
      if (sort_buckets(c, control, first, last, less, finish)) return;
    }
  }
  quicksort_parallel(c, control, first, last, less, true, bad_steps_for(n));
}

}  // namespace nearfork::detail
