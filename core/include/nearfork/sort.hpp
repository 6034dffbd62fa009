/// \file
/// Parallel sorting.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <nearfork/detail/loops_merge.hpp>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/pool.hpp>
#include <new>
#include <utility>

namespace nearfork {
namespace detail {

// Below this a piece is sorted serially: some tens of microseconds, so that its task costs nothing.
inline constexpr std::ptrdiff_t sort_serially = 4096;

/// Moves a pivot to *first: the median of 9 medians of 3, spread over the range.
template <class It, class Less>
void choose_pivot(It first, std::ptrdiff_t n, Less& less) {
  const auto median = [&](It a, It b, It c) {
    if (less(*a, *b)) return less(*b, *c) ? b : less(*a, *c) ? c : a;
    return less(*a, *c) ? a : less(*b, *c) ? c : b;
  };
  It m[9];
  // 27 places; a constant stride that no input is periodic in by nature.
  const std::ptrdiff_t step = n / 28;
  for (std::ptrdiff_t k = 0; k < 9; ++k) {
    const It at = first + step * (3 * k + 1);
    m[k] = median(at, at + step, at + 2 * step);
  }
  std::iter_swap(
      first, median(median(m[0], m[1], m[2]), median(m[3], m[4], m[5]), median(m[6], m[7], m[8])));
}

/// Quicksort with tasks; \p depth: splits left before it gives up on its pivots, which bounds the
/// work by O(n log n) (the serial sort is one by introspection itself).
template <class It, class Less>
void quicksort(context& c, It first, It last, Less& less, int depth) {
  while (last - first > sort_serially && depth-- > 0) {
    const std::ptrdiff_t n = last - first;
    choose_pivot(first, n, less);
    const It middle = std::partition(first + 1, last, [&](auto& x) { return less(x, *first); });
    const It pivot = middle - 1;
    std::iter_swap(first, pivot);
    It right = middle;
    if (pivot - first < n / 16) {
      // Few are less: many may be equal. These are in place already.
      right = std::partition(middle, last, [&](auto& x) { return !less(*pivot, x); });
    }
    auto left_half = [&](context& inner) { quicksort(inner, first, pivot, less, depth); };
    auto right_half = [&](context& inner) { quicksort(inner, right, last, less, depth); };
    join_in(c, left_half, right_half);
    return;
  }
  std::sort(first, last, std::ref(less));
}

}  // namespace detail

/// Sorts [first, last) by \p less; not stable. O(n log n) comparisons in the worst case. Elements
/// need to be movable only. If less or a move throws, the exception is rethrown, the pool is
/// usable, and every element is valid, but their order and, as in std::sort, their values are
/// unspecified.
template <std::random_access_iterator It, class Less = std::less<>>
void parallel_sort(It first, It last, Less less = {}) {
  const std::ptrdiff_t n = last - first;
  if (n < 2) return;
  const int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(n)));
  if (n <= detail::sort_serially) return std::sort(first, last, std::ref(less));
  detail::in_a_pool([&](context& c) { detail::quicksort(c, first, last, less, depth); });
}

/// Sorts [first, last) by \p less and keeps the order of equal elements: a merge sort with a buffer
/// of n elements. If less throws, no element is lost: the range holds the same elements in
/// unspecified order (moves that do not throw provided). Without memory for the buffer, and for
/// short ranges, it is std::stable_sort, which does not promise that.
template <std::random_access_iterator It, class Less = std::less<>>
void parallel_stable_sort(It first, It last, Less less = {}) {
  using value = typename std::iterator_traits<It>::value_type;
  const std::ptrdiff_t n = last - first;
  if (n < 2) return;
  if (n > detail::sort_serially) {
    detail::raw_buffer<value> buffer(static_cast<std::size_t>(n));
    if (buffer.data() != nullptr) {
      detail::in_a_pool([&](context& c) {
        detail::merge_sort(c, first, last, buffer.data(), less, detail::sort_serially);
      });
      return;
    }
  }
  std::stable_sort(first, last, std::ref(less));
}

}  // namespace nearfork
