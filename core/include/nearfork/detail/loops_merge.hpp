/// \file
/// Stable merging in parallel, without losing an element when a comparison throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <nearfork/context.hpp>
#include <nearfork/join.hpp>
#include <new>
#include <utility>

namespace nearfork::detail {

/// Memory for n objects that are not there yet; null data when there is none.
template <class T>
class raw_buffer {
 public:
  explicit raw_buffer(std::size_t n) noexcept {
    if (n <= PTRDIFF_MAX / sizeof(T)) {
      data_ = static_cast<T*>(
          ::operator new(n * sizeof(T), std::align_val_t(alignof(T)), std::nothrow));
    }
  }
  raw_buffer(const raw_buffer&) = delete;
  raw_buffer& operator=(const raw_buffer&) = delete;
  ~raw_buffer() { ::operator delete(data_, std::align_val_t(alignof(T))); }
  T* data() const noexcept { return data_; }

 private:
  T* data_ = nullptr;
};

/// Merges the sorted runs [a, a_end) and [b, b_end) into the buffer. When a comparison throws, it
/// has put all elements back into the two runs and rethrows.
template <class It, class T, class Less>
void merge_into(It a, It a_end, It b, It b_end, T* buffer, Less& less) {
  const It a_begin = a;
  const It b_begin = b;
  T* out = buffer;
  try {
    while (a != a_end && b != b_end) {
      if (less(*b, *a)) {
        ::new (static_cast<void*>(out)) T(std::move(*b));
        ++b;
      } else {
        ::new (static_cast<void*>(out)) T(std::move(*a));
        ++a;
      }
      ++out;
    }
  } catch (...) {
    // The holes are the beginnings of the two runs.
    T* from = buffer;
    for (It i = a_begin; i != a; ++i, ++from) *i = std::move(*from);
    for (It i = b_begin; i != b; ++i, ++from) *i = std::move(*from);
    std::destroy(buffer, out);
    throw;
  }
  out = std::uninitialized_move(a, a_end, out);
  std::uninitialized_move(b, b_end, out);
}

/// As merge_into, in parallel: the runs are cut where their merge can be cut.
template <class It, class T, class Less>
void merge_parallel(context& c, It a, It a_end, It b, It b_end, T* buffer, Less& less,
                    std::ptrdiff_t serially) {
  const std::ptrdiff_t na = a_end - a;
  const std::ptrdiff_t nb = b_end - b;
  if (na + nb <= serially || na == 0 || nb == 0) {
    return merge_into(a, a_end, b, b_end, buffer, less);
  }
  It a_cut = a;
  It b_cut = b;
  // Equal elements of the first run come first.
  if (na >= nb) {
    a_cut = a + na / 2;
    b_cut = std::lower_bound(b, b_end, *a_cut, [&](auto& x, auto& y) { return less(x, y); });
  } else {
    b_cut = b + nb / 2;
    a_cut = std::upper_bound(a, a_end, *b_cut, [&](auto& x, auto& y) { return less(x, y); });
  }
  T* const buffer_cut = buffer + (a_cut - a) + (b_cut - b);
  bool left_done = false;
  bool right_done = false;
  auto left = [&](context& inner) {
    merge_parallel(inner, a, a_cut, b, b_cut, buffer, less, serially);
    left_done = true;
  };
  auto right = [&](context& inner) {
    merge_parallel(inner, a_cut, a_end, b_cut, b_end, buffer_cut, less, serially);
    right_done = true;
  };
  try {
    join_in(c, left, right);
  } catch (...) {
    // The half that went well goes back too, in any order.
    const auto put_back = [](It x, It x_end, It y, It y_end, T* from) {
      T* const begin = from;
      for (; x != x_end; ++x, ++from) *x = std::move(*from);
      for (; y != y_end; ++y, ++from) *y = std::move(*from);
      std::destroy(begin, from);
    };
    if (left_done) put_back(a, a_cut, b, b_cut, buffer);
    if (right_done) put_back(a_cut, a_end, b_cut, b_end, buffer_cut);
    throw;
  }
}

template <class It, class T>
void move_back(context& c, T* from, It to, std::ptrdiff_t n, std::ptrdiff_t serially) {
  if (n <= serially) {
    std::move(from, from + n, to);
    std::destroy(from, from + n);
    return;
  }
  const std::ptrdiff_t half = n / 2;
  auto left = [&](context& inner) { move_back(inner, from, to, half, serially); };
  auto right = [&](context& inner) {
    move_back(inner, from + half, to + half, n - half, serially);
  };
  join_in(c, left, right);
}

inline constexpr std::ptrdiff_t sort_by_insertion = 24;

/// Compares before it moves anything, so a comparison that throws loses nothing.
template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  for (It i = first; i != last; ++i) {
    const It place = std::upper_bound(first, i, *i, [&](auto& x, auto& y) { return less(x, y); });
    std::rotate(place, i, i + 1);
  }
}

template <class It, class T, class Less>
void merge_sort(context& c, It first, It last, T* buffer, Less& less, std::ptrdiff_t serially) {
  const std::ptrdiff_t n = last - first;
  if (n <= sort_by_insertion) return insertion_sort(first, last, less);
  const std::ptrdiff_t half = n / 2;
  const It middle = first + half;
  auto left = [&](context& inner) { merge_sort(inner, first, middle, buffer, less, serially); };
  auto right = [&](context& inner) {
    merge_sort(inner, middle, last, buffer + half, less, serially);
  };
  join_in(c, left, right);
  if (!less(*middle, *(middle - 1))) return;  // in order already
  merge_parallel(c, first, middle, middle, last, buffer, less, 4 * serially);
  move_back(c, buffer, first, n, 4 * serially);
}

}  // namespace nearfork::detail
