/// \file
/// From offsets to indices, and how bodies are called.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <nearfork/context.hpp>
#include <nearfork/index_range.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace nearfork::detail {

/// Number of indices in [first, last); 0 if inverted.
template <std::integral I>
constexpr std::uint64_t distance_of(I first, I last) noexcept {
  static_assert(sizeof(I) <= 8, "loops take integers of up to 64 bits");
  return last > first ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
}

/// first + offset, which lies in the type's range.
template <std::integral I>
constexpr I index_at(I first, std::uint64_t offset) noexcept {
  return static_cast<I>(static_cast<std::uint64_t>(first) + offset);
}

template <class I>
void check_end(I value, bool fits, const char* which) {
  if (fits) return;
  throw std::out_of_range("nearfork: the loop's " + std::string(which) + " index " +
                          std::to_string(value) +
                          " does not fit into the common type of the two; accepted are two ends of "
                          "one type, or values that fit into both");
}

/// Ends of different types in their common type. \throws std::out_of_range if one does not fit
template <std::integral I, std::integral J>
auto common_ends(I first, J last) {
  using common = std::common_type_t<I, J>;
  const auto fits = [](auto value) {
    const auto c = static_cast<common>(value);
    return static_cast<decltype(value)>(c) == value && (c < 0) == (value < 0);
  };
  check_end(first, fits(first), "first");
  check_end(last, fits(last), "last");
  return std::pair(static_cast<common>(first), static_cast<common>(last));
}

/// An integer that is a loop's index. Bytes of text are integers here, truth values are not.
template <class I>
concept loop_index = std::integral<I> && !std::same_as<std::remove_cv_t<I>, bool>;

/// What a body or map takes. An index comes first where several would do.
template <class F, class I>
inline constexpr bool takes_index = std::is_invocable_v<F&, I>;
template <class F, class I>
inline constexpr bool takes_index_and_context = std::is_invocable_v<F&, I, context&>;
template <class F, class I>
inline constexpr bool takes_indices = takes_index<F, I> || takes_index_and_context<F, I>;

template <class F, class I>
decltype(auto) call_with_index(F& f, I i, context& c) {
  if constexpr (takes_index<F, I>) {
    return std::invoke(f, i);
  } else {
    return std::invoke(f, i, c);
  }
}

template <class F, class I>
decltype(auto) call_with_range(F& f, index_range<I> r, context& c) {
  static_assert(
      std::is_invocable_v<F&, index_range<I>> || std::is_invocable_v<F&, index_range<I>, context&>,
      "the callable must take an index or an index_range of the loop's index type, and may take a "
      "context& after it");
  if constexpr (std::is_invocable_v<F&, index_range<I>>) {
    return std::invoke(f, r);
  } else {
    return std::invoke(f, r, c);
  }
}

/// The piece of a loop over indices from \p first on.
template <class I, class Body>
struct index_piece {
  Body& body;
  I first;

  void operator()(context& c, std::uint64_t from, std::uint64_t to) const {
    const I end = index_at(first, to);
    if constexpr (takes_indices<Body, I>) {
      // "<", not "!=": unsigned indices cannot wrap then, and the compiler can vectorise.
      for (I i = index_at(first, from); i < end; ++i) call_with_index(body, i, c);
    } else {
      call_with_range(body, index_range<I>(index_at(first, from), end), c);
    }
  }
};

}  // namespace nearfork::detail
