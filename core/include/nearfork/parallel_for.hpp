/// \file
/// Parallel loops.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <nearfork/detail/loops_index.hpp>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/index_range.hpp>
#include <nearfork/loop_options.hpp>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {
namespace detail {

template <class Piece>
bool run_whole_loop(Piece& piece, std::uint64_t n, const loop_options& options) {
  return in_a_pool([&](context& c) {
    if (n == 1) {  // nothing to share, nothing to set up
      if (options.stop.stop_requested()) return false;
      piece(c, 0, 1);
      return true;
    }
    loop_control control(options.stop);
    run_loop(c, control, piece, n, options);
    return control.finish();
  });
}

}  // namespace detail

/// Calls \p body for every index of [first, last), in any order, perhaps at the same time.
///
/// \p body takes an index, or an index_range<I> of several at once (so that inner loops vectorise);
/// in either case it may take a nearfork::context& after it. (A generic lambda is called with an
/// index.) Empty and inverted ranges run nothing. Any integer type of up to 64 bits, anywhere in
/// its range. Loops may be nested in anything.
/// \returns whether the whole range ran; false: something was left out because options.stop was
/// requested
/// \throws the first exception of body, when everything begun is finished; what was not begun by
/// then is left out
/// Complexity: n calls (of index_range bodies fewer); no memory is allocated but for by_node.
template <detail::loop_index I, class Body>
bool parallel_for(I first, I last, Body&& body, const loop_options& options = {}) {
  const std::uint64_t n = detail::distance_of(first, last);
  if (n == 0) return true;
  detail::index_piece<I, std::remove_reference_t<Body>> piece{body, first};
  return detail::run_whole_loop(piece, n, options);
}

/// The same where the two ends have different types: the index type is their common type.
/// \throws std::out_of_range when an end does not fit into it (a negative one, and an unsigned
/// type)
template <detail::loop_index I, detail::loop_index J, class Body>
  requires(!std::same_as<I, J>)
bool parallel_for(I first, J last, Body&& body, const loop_options& options = {}) {
  const auto [from, to] = detail::common_ends(first, last);
  return parallel_for(from, to, std::forward<Body>(body), options);
}

/// Calls \p body for every element of \p range, in any order, perhaps at the same time; it may take
/// a nearfork::context& after the element.
///
/// Elements of random-access ranges are reached by index. Other ranges are walked once beforehand
/// and cut into pieces of options.grain elements; grain 0: single ones up to 4096, then up to 8192
/// pieces of equal length.
/// \returns, \throws as parallel_for; std::bad_alloc for ranges without random access, before
/// anything ran
template <std::ranges::forward_range Range, class Body>
bool parallel_for_each(Range&& range, Body&& body, const loop_options& options = {}) {
  using element = std::ranges::range_reference_t<Range>;
  const auto call = [&body](element&& x, context& c) {
    if constexpr (std::is_invocable_v<Body&, element>) {
      std::invoke(body, std::forward<element>(x));
    } else {
      std::invoke(body, std::forward<element>(x), c);
    }
  };
  const auto length = static_cast<std::uint64_t>(std::ranges::distance(range));
  if (length == 0) return true;
  if constexpr (std::ranges::random_access_range<Range>) {
    const auto begin = std::ranges::begin(range);
    auto piece = [&](context& c, std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t i = from; i < to; ++i) {
        call(begin[static_cast<std::ranges::range_difference_t<Range>>(i)], c);
      }
    };
    return detail::run_whole_loop(piece, length, options);
  } else {
    const std::uint64_t size =
        options.grain != 0 ? options.grain : std::max<std::uint64_t>(1, length / 4096);
    std::vector<std::ranges::iterator_t<Range>> starts;
    starts.reserve(detail::divide_up(length, size));
    auto at = std::ranges::begin(range);
    for (std::uint64_t i = 0; i < length; ++i, ++at) {
      if (i % size == 0) starts.push_back(at);
    }
    auto piece = [&](context& c, std::uint64_t from, std::uint64_t to) {
      auto i = starts[from];
      const std::uint64_t end = std::min(length, to * size);
      for (std::uint64_t k = from * size; k < end; ++k, ++i) call(*i, c);
    };
    const loop_options by_piece{.grain = options.grain != 0 ? std::size_t{1} : 0,
                                .stop = options.stop,
                                .schedule = options.schedule};
    return detail::run_whole_loop(piece, starts.size(), by_piece);
  }
}

}  // namespace nearfork
