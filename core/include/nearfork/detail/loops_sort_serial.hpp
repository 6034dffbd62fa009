/// \file
/// Sorting by one worker, in place.
///
/// Nothing here loses an element when a comparison throws (moves that do not throw provided):
/// comparisons are made while every element is in the range or in a guard that puts it back. And
/// nothing leaves the range when comparisons contradict each other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace nearfork::detail {

template <class It>
using element_of = std::iter_value_t<It>;

/// Values that are as cheap to copy as to look at: partitions move them without asking.
template <class T>
inline constexpr bool small_value = std::is_trivially_copyable_v<T> && sizeof(T) <= 32;

/// A place whose element is elsewhere; puts it there in the end.
template <class It>
struct sort_hole {
  It at;
  element_of<It> value;
  explicit sort_hole(It where) : at(where), value(std::move(*where)) {}
  sort_hole(const sort_hole&) = delete;
  sort_hole& operator=(const sort_hole&) = delete;
  ~sort_hole() { *at = std::move(value); }
};

inline constexpr std::ptrdiff_t sort_by_insertion = 24;

/// Stable. O(n^2).
template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  if (last - first < 2) return;
  for (It i = first + 1; i != last; ++i) {
    if (!less(*i, *(i - 1))) continue;
    sort_hole<It> hole(i);
    do {
      *hole.at = std::move(*(hole.at - 1));
      --hole.at;
    } while (hole.at != first && less(hole.value, *(hole.at - 1)));
  }
}

/// O(n log n) whatever the elements are; for ranges that quicksort has no luck with.
template <class It, class Less>
void heap_sort(It first, It last, Less& less) {
  const std::ptrdiff_t n = last - first;
  const auto sift_down = [&](std::ptrdiff_t i, std::ptrdiff_t end) {
    for (;;) {
      std::ptrdiff_t child = 2 * i + 1;
      if (child >= end) return;
      if (child + 1 < end && less(first[child], first[child + 1])) ++child;
      if (!less(first[i], first[child])) return;
      std::iter_swap(first + i, first + child);
      i = child;
    }
  };
  for (std::ptrdiff_t i = n / 2; i > 0; --i) sift_down(i - 1, n);
  for (std::ptrdiff_t end = n - 1; end > 0; --end) {
    std::iter_swap(first, first + end);
    sift_down(0, end);
  }
}

template <class It, class Less>
It median_of_3(It a, It b, It c, Less& less) {
  if (less(*a, *b)) return less(*b, *c) ? b : less(*a, *c) ? c : a;
  return less(*a, *c) ? a : less(*b, *c) ? c : b;
}

/// Places of a range to look at: one in each of \p count equal parts, where exactly is a
/// pseudo-random matter, so that no regular input meets it. The same for every run.
class sample_places {
 public:
  sample_places(std::size_t n, std::size_t count) noexcept
      : stride_(n / count), state_(n * 0x9E3779B97F4A7C15ULL + 1) {}
  std::size_t next() noexcept {
    // The generator of Knuth's MMIX; its upper bits.
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t place = base_ + static_cast<std::size_t>(state_ >> 33) % stride_;
    base_ += stride_;
    return place;
  }

 private:
  std::size_t stride_;
  std::size_t base_ = 0;
  std::uint64_t state_;
};

/// A median of medians of 3, of 3 to 27 elements.
template <class It, class Less>
It choose_pivot(It first, std::ptrdiff_t n, Less& less) {
  constexpr std::size_t most = 27;
  It m[most];
  std::size_t count = n < 128 ? 3 : n < 4096 ? 9 : most;
  sample_places places(static_cast<std::size_t>(n), count);
  for (std::size_t k = 0; k < count; ++k) {
    m[k] = first + static_cast<std::iter_difference_t<It>>(places.next());
  }
  while (count > 1) {
    count /= 3;
    for (std::size_t k = 0; k < count; ++k) {
      m[k] = median_of_3(m[3 * k], m[3 * k + 1], m[3 * k + 2], less);
    }
  }
  return m[0];
}

/// Moves the elements with \p wanted(x) to the front and returns their end.
template <class It, class Wanted>
It partition_range(It first, It last, Wanted wanted) {
  using T = element_of<It>;
  if constexpr (small_value<T>) {
    // Lomuto's partition without a branch: every element is moved, no jump is guessed wrong.
    It end = first;
    for (; first != last; ++first) {
      T x = *first;
      const bool take = wanted(x);
      *first = *end;
      *end = x;
      end += take;
    }
    return end;
  } else {
    for (;;) {
      while (first != last && wanted(*first)) ++first;
      do {
        if (first == last) return first;
        --last;
      } while (!wanted(*last));
      if (first == last) return first;
      std::iter_swap(first, last);
      ++first;
    }
  }
}

/// Partitions [first, last) by the pivot at *first: those for which \p before(pivot, x) come
/// before it. Returns its place.
template <class It, class Before>
It partition_by_first(It first, It last, Before before) {
  It end;
  if constexpr (small_value<element_of<It>>) {
    element_of<It> pivot = *first;
    end = partition_range(first + 1, last, [&](auto& x) -> bool { return before(pivot, x); });
  } else {
    end = partition_range(first + 1, last, [&](auto& x) -> bool { return before(*first, x); });
  }
  --end;
  std::iter_swap(first, end);
  return end;
}

/// The first element of a sorted range that is not less than \p x (lower bound).
template <class It, class Less>
It first_not_less(It first, It last, element_of<It>& x, Less& less) {
  for (std::ptrdiff_t n = last - first; n > 0;) {
    const std::ptrdiff_t half = n / 2;
    if (less(first[half], x)) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}
/// The first element of a sorted range that is greater than \p x (upper bound).
template <class It, class Less>
It first_greater(It first, It last, element_of<It>& x, Less& less) {
  auto not_greater = [&](auto& a, auto& b) -> bool { return !less(b, a); };
  return first_not_less(first, last, x, not_greater);
}

/// One step of quicksort: a pivot, and a partition by it.
template <class It>
struct sort_step {
  It left_end;     ///< [first, left_end) is still to be sorted,
  It right_begin;  ///< and [right_begin, last) is
  bool balanced;   ///< neither is much longer than the other
};

/// \p leftmost: nothing stands before first. Otherwise *(first - 1) stands in its final place, and
/// nothing in the range is less.
template <class It, class Less>
sort_step<It> split_by_pivot(It first, It last, Less& less, bool leftmost) {
  const std::ptrdiff_t n = last - first;
  std::iter_swap(first, choose_pivot(first, n, less));
  if (!leftmost && !less(*(first - 1), *first)) {
    // The pivot is the least there is; all that are equal to it are in place then.
    const It end =
        partition_by_first(first, last, [&](auto& pivot, auto& x) { return !less(pivot, x); });
    return {first, end + 1, true};
  }
  const It at =
      partition_by_first(first, last, [&](auto& pivot, auto& x) { return less(x, pivot); });
  const std::ptrdiff_t smaller = at - first < last - at ? at - first : last - at;
  return {at, at + 1, smaller >= n / 8};
}

/// How many unbalanced steps are borne with before heap_sort takes over.
inline int bad_steps_for(std::ptrdiff_t n) noexcept {
  return static_cast<int>(std::bit_width(static_cast<std::size_t>(n)));
}

/// Quicksort; O(n log n) comparisons at worst, O(n log k) with k different values, a stack of
/// O(log n).
template <class It, class Less>
void quicksort(It first, It last, Less& less, bool leftmost, int bad_steps) {
  for (;;) {
    if (last - first <= sort_by_insertion) return insertion_sort(first, last, less);
    if (bad_steps == 0) return heap_sort(first, last, less);
    const sort_step<It> step = split_by_pivot(first, last, less, leftmost);
    if (!step.balanced) --bad_steps;
    if (step.left_end - first < last - step.right_begin) {
      quicksort(first, step.left_end, less, leftmost, bad_steps);
      first = step.right_begin;
      leftmost = false;
    } else {
      quicksort(step.right_begin, last, less, false, bad_steps);
      last = step.left_end;
    }
  }
}

}  // namespace nearfork::detail
