/// \file
/// Parallel sorting.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <nearfork/detail/loops_merge.hpp>
#include <nearfork/detail/loops_sort.hpp>
#include <new>
#include <optional>
#include <utility>

namespace nearfork {
namespace detail {

template <class It, class Less>
void sort_stable(context& c, loop_control& control, It first, It last, Less& less) {
  using T = element_of<It>;
  const std::ptrdiff_t n = last - first;
  if (sorted_already(c, control, first, last, less)) return;
  if constexpr (moves_safely<T>) {
    if (n >= sort_by_distribution) {
      const auto finish = [&](context& here, T* from, It to, std::ptrdiff_t length) noexcept {
        merge_sort(here, control, from, to, length, true, less);
      };
      if (sort_buckets(c, control, first, last, less, finish)) return;
    } else {
      std::optional<sort_buffer<T>> buffer;
      try {
        buffer.emplace(static_cast<std::size_t>(n));
      } catch (const std::bad_alloc&) {
      }
      if (buffer) {
        T* const from = buffer->data();
        std::uninitialized_move(first, last, from);
        merge_sort(c, control, from, first, n, true, less);
        std::destroy_n(from, n);
        return;
      }
    }
  }
  merge_sort_in_place(c, control, first, last, less);
}

/// References to elements, not stand-ins as those of std::vector<bool>, whose elements share words.
template <class It>
inline constexpr bool sorts_in_parallel =
    std::same_as<std::iter_reference_t<It>, std::iter_value_t<It>&>;

/// Calls sort(context, control, first, last, less) with plain pointers where the elements lie in
/// one piece.
template <class It, class Less, class Sort>
void sort_in_a_pool(It first, It last, Less& less, Sort sort) {
  in_a_pool([&](context& c) {
    const std::stop_token never;
    loop_control control(never);
    // Throws what could not be left to the control: nothing has been moved then.
    if constexpr (std::contiguous_iterator<It>) {
      sort(c, control, std::to_address(first), std::to_address(last), less);
    } else {
      sort(c, control, first, last, less);
    }
    control.finish();
  });
}

}  // namespace detail

/// Sorts [first, last) by \p less; not stable, but the same input gives the same output for every
/// worker count. O(n log n) comparisons in the worst case, O(n log k) for k different values, O(n)
/// for sorted and reversed input of more than 4,096 elements.
///
/// Elements need to be movable only. \p less is called from several workers at a time. From
/// 65,536 elements on, memory for as many elements and n bytes is used; where it cannot be had, or
/// moves may throw, the elements are sorted in place, more slowly.
/// \throws what less throws, the first in time. All elements are still there then, in unspecified
/// order (moves that do not throw provided), and the pool is usable.
/// Iterators whose references are stand-ins (std::vector<bool>): std::sort.
template <std::random_access_iterator It, class Less = std::less<>>
void parallel_sort(It first, It last, Less less = {}) {
  const std::ptrdiff_t n = last - first;
  if (n < 2) return;
  if constexpr (!detail::sorts_in_parallel<It>) {
    std::sort(first, last, std::ref(less));
  } else if (n <= detail::sort_alone) {
    detail::quicksort(first, last, less, true, detail::bad_steps_for(n));
  } else {
    detail::sort_in_a_pool(first, last, less,
                           [](context& c, detail::loop_control& control, auto a, auto b, Less& l) {
                             detail::sort_unstable(c, control, a, b, l);
                           });
  }
}

/// Sorts [first, last) by \p less and keeps the order of equal elements. O(n log n) comparisons in
/// the worst case.
///
/// As parallel_sort(), but memory for as many elements is always used; where it cannot be had, or
/// moves may throw: O(n log^2 n) moves in place. Short ranges too lose no element when less
/// throws.
/// Iterators whose references are stand-ins (std::vector<bool>): std::stable_sort.
template <std::random_access_iterator It, class Less = std::less<>>
void parallel_stable_sort(It first, It last, Less less = {}) {
  const std::ptrdiff_t n = last - first;
  if (n < 2) return;
  if constexpr (!detail::sorts_in_parallel<It>) {
    std::stable_sort(first, last, std::ref(less));
  } else if (n <= detail::sort_by_insertion) {
    detail::insertion_sort(first, last, less);
  } else {
    detail::sort_in_a_pool(first, last, less,
                           [](context& c, detail::loop_control& control, auto a, auto b, Less& l) {
                             detail::sort_stable(c, control, a, b, l);
                           });
  }
}

}  // namespace nearfork
