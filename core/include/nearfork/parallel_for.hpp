/// \file
/// Parallel loops.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/index_range.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/pool.hpp>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {

/// Calls \p body for every index of [first, last), in any order, perhaps at the same time.
///
/// \p body takes an index, or an index_range of several at once (so that inner loops vectorise). An
/// empty or inverted range runs nothing. Any integer type up to 64 bits, anywhere in its range.
/// \returns whether the whole range ran; false: options.stop was requested before.
/// \throws an exception of body; pieces not begun by then are left out
template <std::integral I, class Body>
bool parallel_for(I first, I last, Body&& body, const loop_options& options = {}) {
  const std::uint64_t n = detail::distance_of(first, last);
  if (n == 0) return true;
  const auto piece = [&body, first](std::uint64_t from, std::uint64_t to) {
    if constexpr (std::is_invocable_v<Body&, index_range<I>> && !std::is_invocable_v<Body&, I>) {
      body(index_range<I>(detail::index_at(first, from), detail::index_at(first, to)));
    } else {
      for (std::uint64_t i = from; i < to; ++i) body(detail::index_at(first, i));
    }
  };
  return detail::in_a_pool([&](context& c) { return detail::run_loop(c, n, options, piece); });
}

/// The same where the two ends have different types: both are converted to their common type.
/// \throws std::out_of_range when an end does not fit into it
template <std::integral I, std::integral J, class Body>
  requires(!std::same_as<I, J>)
bool parallel_for(I first, J last, Body&& body, const loop_options& options = {}) {
  const auto [from, to] = detail::common_ends(first, last);
  return parallel_for(from, to, std::forward<Body>(body), options);
}

/// Calls \p body for every element of \p range. Elements of random-access ranges are reached by
/// index; of others, iterators are collected first (one each, serially).
/// \returns, \throws as parallel_for; std::bad_alloc for ranges without random access
template <std::ranges::forward_range Range, class Body>
bool parallel_for_each(Range&& range, Body&& body, const loop_options& options = {}) {
  if constexpr (std::ranges::random_access_range<Range>) {
    const auto first = std::ranges::begin(range);
    using difference = std::ranges::range_difference_t<Range>;
    return parallel_for(
        difference{0}, static_cast<difference>(std::ranges::distance(range)),
        [&](difference i) { body(first[i]); }, options);
  } else {
    std::vector<std::ranges::iterator_t<Range>> elements;
    for (auto i = std::ranges::begin(range); i != std::ranges::end(range); ++i) {
      elements.push_back(i);
    }
    return parallel_for(
        std::size_t{0}, elements.size(), [&](std::size_t i) { body(*elements[i]); }, options);
  }
}

}  // namespace nearfork
