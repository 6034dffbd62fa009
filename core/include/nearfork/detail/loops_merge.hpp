/// \file
/// Stable sorting by merging, with a second array and without.
///
/// With one: all elements are alive in both arrays, those of one of them moved from. When a
/// comparison throws, the control is halted and everything goes on without comparing: elements
/// are moved where they would have gone, in some order, and none is lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nearfork/detail/loops_control.hpp>
#include <nearfork/detail/loops_sort_serial.hpp>
#include <nearfork/join.hpp>
#include <utility>

namespace nearfork::detail {

/// Below this no merge is worth cutting up.
inline constexpr std::ptrdiff_t merge_alone = 8192;

/// Merges the sorted runs [a, a_end) and [b, b_end) to out.
template <class In, class Out, class Less>
void merge_runs(loop_control& control, In a, In a_end, In b, In b_end, Out out,
                Less& less) noexcept {
  try {
    if (!control.halted() && a != a_end && b != b_end && less(*b, *(a_end - 1))) {
      if constexpr (small_value<element_of<In>>) {
        while (a != a_end && b != b_end) {
          const bool second = less(*b, *a);
          *out = second ? *b : *a;
          b += second;
          a += !second;
          ++out;
        }
      } else {
        while (a != a_end && b != b_end) {
          if (less(*b, *a)) {
            *out = std::move(*b);
            ++b;
          } else {
            *out = std::move(*a);
            ++a;
          }
          ++out;
        }
      }
    }
  } catch (...) {
    control.fail();
  }
  std::move(b, b_end, std::move(a, a_end, out));
}

/// As merge_runs, cut into tasks where the result can be cut.
template <class In, class Out, class Less>
void merge_parallel(context& c, loop_control& control, In a, In a_end, In b, In b_end, Out out,
                    Less& less) noexcept {
  const std::ptrdiff_t na = a_end - a;
  const std::ptrdiff_t nb = b_end - b;
  if (na + nb <= merge_alone || na == 0 || nb == 0) {
    return merge_runs(control, a, a_end, b, b_end, out, less);
  }
  In a_cut = a + na / 2;
  In b_cut = b + nb / 2;
  try {
    if (control.halted()) {
      // Any cut will do.
    } else if (na >= nb) {
      // Of equal elements the first run's come first.
      b_cut = first_not_less(b, b_end, *a_cut, less);
    } else {
      a_cut = first_greater(a, a_end, *b_cut, less);
    }
  } catch (...) {
    control.fail();
  }
  const Out out_cut = out + (a_cut - a) + (b_cut - b);
  auto left = [&](context& here) noexcept {
    merge_parallel(here, control, a, a_cut, b, b_cut, out, less);
  };
  auto right = [&](context& here) noexcept {
    merge_parallel(here, control, a_cut, a_end, b_cut, b_end, out_cut, less);
  };
  join_in(c, left, right);
}

/// Sorts the n elements at x, and leaves them in y if \p into_y, else in x.
template <class X, class Y, class Less>
void merge_sort(context& c, loop_control& control, X x, Y y, std::ptrdiff_t n, bool into_y,
                Less& less) noexcept {
  if (n <= sort_by_insertion) {
    try {
      if (!control.halted()) insertion_sort(x, x + n, less);
    } catch (...) {
      control.fail();
    }
    if (into_y) std::move(x, x + n, y);
    return;
  }
  const std::ptrdiff_t half = n / 2;
  auto left = [&](context& here) noexcept { merge_sort(here, control, x, y, half, !into_y, less); };
  auto right = [&](context& here) noexcept {
    merge_sort(here, control, x + half, y + half, n - half, !into_y, less);
  };
  if (n > merge_alone / 4) {
    join_in(c, left, right);
  } else {
    left(c);
    right(c);
  }
  if (into_y) {
    merge_parallel(c, control, x, x + half, x + half, x + n, y, less);
  } else {
    merge_parallel(c, control, y, y + half, y + half, y + n, x, less);
  }
}

/// Merges [first, middle) and [middle, last) in place. O(n log n).
template <class It, class Less>
void merge_in_place(context& c, loop_control& control, It first, It middle, It last,
                    Less& less) noexcept {
  const std::ptrdiff_t na = middle - first;
  const std::ptrdiff_t nb = last - middle;
  if (na == 0 || nb == 0 || control.halted()) return;
  try {
    if (!less(*middle, *(middle - 1))) return;
    if (na + nb == 2) return std::iter_swap(first, middle);
    It a_cut = first + na / 2;
    It b_cut = middle + nb / 2;
    if (na >= nb) {
      b_cut = first_not_less(middle, last, *a_cut, less);
    } else {
      a_cut = first_greater(first, middle, *b_cut, less);
    }
    const It cut = std::rotate(a_cut, middle, b_cut);
    auto left = [&](context& here) noexcept {
      merge_in_place(here, control, first, a_cut, cut, less);
    };
    auto right = [&](context& here) noexcept {
      merge_in_place(here, control, cut, b_cut, last, less);
    };
    if (na + nb > merge_alone) {
      join_in(c, left, right);
    } else {
      left(c);
      right(c);
    }
  } catch (...) {
    control.fail();
  }
}

/// Stable without a second array: for elements that cannot be moved safely, and when there is no
/// memory. O(n log^2 n).
template <class It, class Less>
void merge_sort_in_place(context& c, loop_control& control, It first, It last,
                         Less& less) noexcept {
  const std::ptrdiff_t n = last - first;
  if (control.halted()) return;
  if (n <= sort_by_insertion) {
    try {
      insertion_sort(first, last, less);
    } catch (...) {
      control.fail();
    }
    return;
  }
  const It middle = first + n / 2;
  auto left = [&](context& here) noexcept {
    merge_sort_in_place(here, control, first, middle, less);
  };
  auto right = [&](context& here) noexcept {
    merge_sort_in_place(here, control, middle, last, less);
  };
  if (n > merge_alone / 4) {
    join_in(c, left, right);
  } else {
    left(c);
    right(c);
  }
  merge_in_place(c, control, first, middle, last, less);
}

}  // namespace nearfork::detail
