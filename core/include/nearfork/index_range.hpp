/// \file
/// A half-open range of integers.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace nearfork {

/// Points at one index of an index_range. Random access; converts to the index itself, so that
/// `for (I i = r.begin(); i < r.end(); ++i)` can be written as well as `for (I i : r)`.
template <std::integral I>
class index_iterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // *i is no reference
  using value_type = I;
  using difference_type = std::ptrdiff_t;
  using pointer = const I*;
  using reference = I;

  constexpr index_iterator() noexcept = default;
  constexpr explicit index_iterator(I at) noexcept : at_(at) {}
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  constexpr operator I() const noexcept { return at_; }

  constexpr I operator*() const noexcept { return at_; }
  constexpr I operator[](difference_type d) const noexcept { return *(*this + d); }
  constexpr index_iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  constexpr index_iterator& operator--() noexcept {
    --at_;
    return *this;
  }
  constexpr index_iterator operator++(int) noexcept {
    index_iterator old = *this;
    ++at_;
    return old;
  }
  constexpr index_iterator operator--(int) noexcept {
    index_iterator old = *this;
    --at_;
    return old;
  }
  constexpr index_iterator& operator+=(difference_type d) noexcept {
    at_ = static_cast<I>(static_cast<wide>(at_) + static_cast<wide>(d));
    return *this;
  }
  constexpr index_iterator& operator-=(difference_type d) noexcept {
    at_ = static_cast<I>(static_cast<wide>(at_) - static_cast<wide>(d));
    return *this;
  }
  friend constexpr index_iterator operator+(index_iterator i, difference_type d) noexcept {
    return i += d;
  }
  friend constexpr index_iterator operator+(difference_type d, index_iterator i) noexcept {
    return i += d;
  }
  friend constexpr index_iterator operator-(index_iterator i, difference_type d) noexcept {
    return i -= d;
  }
  friend constexpr difference_type operator-(index_iterator a, index_iterator b) noexcept {
    return static_cast<difference_type>(static_cast<wide>(a.at_) - static_cast<wide>(b.at_));
  }
  friend constexpr bool operator==(index_iterator, index_iterator) noexcept = default;
  friend constexpr auto operator<=>(index_iterator, index_iterator) noexcept = default;

 private:
  using wide = std::size_t;  // wraps where I may not
  I at_{};
};

/// The indices [first, last) of a piece of a loop: never empty when a loop passes it to its body.
/// The largest value of a type can only be a range's end.
template <std::integral I>
class index_range {
 public:
  using iterator = index_iterator<I>;

  constexpr index_range(I first, I last) noexcept : first_(first), last_(last) {}
  constexpr iterator begin() const noexcept { return iterator(first_); }
  constexpr iterator end() const noexcept { return iterator(last_); }
  constexpr I first() const noexcept { return first_; }
  constexpr I last() const noexcept { return last_; }
  /// Number of indices; 0 for an inverted range.
  constexpr std::size_t size() const noexcept {
    return last_ > first_ ? static_cast<std::size_t>(last_) - static_cast<std::size_t>(first_) : 0;
  }
  constexpr bool empty() const noexcept { return last_ <= first_; }
  /// The index at place \p offset from first().
  constexpr I operator[](std::size_t offset) const noexcept {
    return static_cast<I>(static_cast<std::size_t>(first_) + offset);
  }
  friend constexpr bool operator==(index_range, index_range) noexcept = default;

 private:
  I first_;
  I last_;
};

}  // namespace nearfork
