/// \file
/// Quicksort with unlucky pivots: the textbook case of work that nobody can share out in advance.
///
/// As the pivot it takes the smallest of three elements where a careful sort takes their median. So
/// the parts of a split stand one to three on average and one to twenty in one split of eight, and
/// the subtasks' sizes vary over three orders of magnitude, in an order known only when the data
/// has been read. The idle take what is left, without anyone having estimated sizes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

namespace demo {

/// Below this many elements a range is sorted without forks: about 20 us of work, which is far
/// above what a fork or a steal costs.
inline constexpr std::ptrdiff_t serial_cutoff = 1000;

/// The ranges that were sorted without further forks.
struct sorted_leaves {
  std::uint64_t count = 0;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;

  static sorted_leaves one(std::ptrdiff_t size) {
    return {1, static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(size)};
  }
  friend sorted_leaves operator+(const sorted_leaves& a, const sorted_leaves& b) {
    return {a.count + b.count, std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
  }
  friend bool operator==(const sorted_leaves&, const sorted_leaves&) = default;
};

namespace detail {

inline constexpr std::ptrdiff_t insertion_cutoff = 24;

/// Splits [first, last), of three elements or more, by Hoare's scheme. \returns the first element
/// of the upper part; neither part is empty, also when all elements are equal.
template <class T>
T* split_unluckily(T* first, T* last) {
  T* const middle = first + (last - first) / 2;
  T* const end = last - 1;
  T* smallest = *middle < *first ? middle : first;
  smallest = *end < *smallest ? end : smallest;
  std::iter_swap(first, smallest);
  const T pivot = *first;
  T* low = first;
  T* high = last;
  for (;;) {
    while (pivot < *--high) {
    }
    while (*low < pivot) {
      ++low;
    }
    if (low >= high) {
      return high + 1;
    }
    std::iter_swap(low++, high);
  }
}

template <class T>
void insertion_sort(T* first, T* last) {
  for (T* next = first; next != last; ++next) {
    const T value = *next;
    T* hole = next;
    for (; hole != first && value < *(hole - 1); --hole) {
      *hole = *(hole - 1);
    }
    *hole = value;
  }
}

/// How deep splits may nest before the range is heap-sorted: keeps the worst case at O(n log n) and
/// the stack small whatever the data. Random data with these pivots stays below a third of it.
inline unsigned deepest_split(std::ptrdiff_t size) {
  return 8U * static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(size)));
}

template <class T>
void heap_sort(T* first, T* last) {
  std::make_heap(first, last);
  std::sort_heap(first, last);
}

template <class T>
void sort_serially(T* first, T* last, unsigned levels) {
  while (last - first > insertion_cutoff) {
    if (levels-- == 0) {
      heap_sort(first, last);
      return;
    }
    T* const upper = split_unluckily(first, last);
    sort_serially(first, upper, levels);
    first = upper;
  }
  insertion_sort(first, last);
}

template <class Fork, class T, class Done>
sorted_leaves sort_range(T* first, T* last, unsigned levels, Fork fork, const Done& done) {
  const std::ptrdiff_t size = last - first;
  if (size <= serial_cutoff || levels == 0) {
    sort_serially(first, last, levels);
    done(static_cast<std::uint64_t>(size));
    return sorted_leaves::one(size);
  }
  T* const upper = split_unluckily(first, last);
  const auto [left, right] = fork([&] { return sort_range(first, upper, levels - 1, fork, done); },
                                  [&] { return sort_range(upper, last, levels - 1, fork, done); });
  return left + right;
}

}  // namespace detail

/// Sorts \p size elements in place. `done(n)` is called, by several workers at once, whenever n
/// more elements have found their place. The leaves depend on the data alone.
template <class Fork, class T, class Done>
sorted_leaves quicksort(T* first, std::size_t size, Fork fork, const Done& done) {
  const auto length = static_cast<std::ptrdiff_t>(size);
  return detail::sort_range(first, first + length, detail::deepest_split(length), fork, done);
}

}  // namespace demo
