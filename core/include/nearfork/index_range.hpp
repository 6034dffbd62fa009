/// \file
/// A half-open range of integers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace nearfork {

/// The indices [first, last) of a piece of a loop. Iterable; never empty when a loop passes it to
/// its body. The largest value of a type can
/// only be a range's end.
template <std::integral I>
class index_range {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;

    constexpr iterator() = default;
    constexpr explicit iterator(I at) noexcept : at_(at) {}
    constexpr I operator*() const noexcept { return at_; }
    constexpr iterator& operator++() noexcept {
      at_ = static_cast<I>(at_ + 1);
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      iterator old = *this;
      ++*this;
      return old;
    }
    friend constexpr bool operator==(iterator, iterator) = default;

   private:
    I at_{};
  };

  constexpr index_range(I first, I last) noexcept : first_(first), last_(last) {}
  constexpr iterator begin() const noexcept { return iterator(first_); }
  constexpr iterator end() const noexcept { return iterator(last_); }
  constexpr I first() const noexcept { return first_; }
  constexpr I last() const noexcept { return last_; }
  /// Number of indices.
  constexpr std::size_t size() const noexcept {
    using u = std::make_unsigned_t<I>;
    return last_ > first_ ? static_cast<u>(static_cast<u>(last_) - static_cast<u>(first_)) : 0;
  }
  constexpr bool empty() const noexcept { return size() == 0; }

 private:
  I first_;
  I last_;
};

}  // namespace nearfork
