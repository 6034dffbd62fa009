/// \file
/// Parallel reductions whose bits do not depend on the machine.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/exceptions.hpp>
#include <nearfork/index_range.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/pool.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace nearfork {
namespace detail {

/// How long the leaves of a reduction over \p n indices are: a rule by length and grain alone.
/// 64 leaves for short ranges, one for each 256 indices up to 4,096 leaves for long ones.
constexpr std::uint64_t leaf_size(std::uint64_t n, std::size_t grain) noexcept {
  if (grain != 0) return grain;
  const std::uint64_t leaves = std::clamp<std::uint64_t>(n / 256, 64, 4096);
  return std::max<std::uint64_t>(1, n / leaves + (n % leaves != 0 ? 1 : 0));
}

template <class R, class Leaf, class Combine>
std::optional<R> reduce_leaves(context& c, std::uint64_t first, std::uint64_t last, Leaf& leaf,
                               Combine& combine) {
  if (last - first == 1) return leaf(first);
  const std::uint64_t middle = first + (last - first) / 2;
  auto left = [&](context& inner) { return reduce_leaves<R>(inner, first, middle, leaf, combine); };
  auto right = [&](context& inner) { return reduce_leaves<R>(inner, middle, last, leaf, combine); };
  auto [a, b] = join_in(c, left, right);
  if (!a || !b) return std::nullopt;  // stopped
  return std::optional<R>(combine(*std::move(a), *std::move(b)));
}

}  // namespace detail

/// Reduces map(first), ..., map(last - 1) by \p combine, in index order.
///
/// \p map takes an index, or an index_range for a whole leaf at once. \p combine is taken to be
/// associative and need not be commutative. Leaves and the tree above them are fixed by the
/// length and options.grain alone (core/loops/README.md), never by workers, stealing or timing: so
/// the result has the same bits for every worker count and run, also for floating-point sums.
/// \p identity is the result of an empty range.
/// \throws cancelled when options.stop was requested before the end; what map or combine throw
template <std::integral I, class R, class Map, class Combine>
R parallel_reduce(I first, I last, R identity, Map&& map, Combine&& combine,
                  const loop_options& options = {}) {
  const std::uint64_t n = detail::distance_of(first, last);
  if (n == 0) return identity;
  const std::uint64_t size = detail::leaf_size(n, options.grain);
  const std::uint64_t leaves = n / size + (n % size != 0 ? 1 : 0);
  detail::loop_state state{options, {}};
  auto leaf = [&](std::uint64_t k) -> std::optional<R> {
    if (state.finished()) return std::nullopt;
    const std::uint64_t from = k * size;
    const std::uint64_t to = n - from > size ? from + size : n;
    try {
      if constexpr (std::is_invocable_v<Map&, index_range<I>> && !std::is_invocable_v<Map&, I>) {
        return std::optional<R>(
            map(index_range<I>(detail::index_at(first, from), detail::index_at(first, to))));
      } else {
        R value = static_cast<R>(map(detail::index_at(first, from)));
        for (std::uint64_t i = from + 1; i < to; ++i) {
          value = combine(std::move(value), map(detail::index_at(first, i)));
        }
        return std::optional<R>(std::move(value));
      }
    } catch (...) {
      state.over.store(1, std::memory_order_relaxed);
      throw;
    }
  };
  std::optional<R> result = detail::in_a_pool(
      [&](context& c) { return detail::reduce_leaves<R>(c, 0, leaves, leaf, combine); });
  if (!result) {
    throw cancelled("nearfork::parallel_reduce: stopped before the whole range was covered");
  }
  return *std::move(result);
}

/// The same where the two ends have different types: both are converted to their common type.
/// \throws std::out_of_range when an end does not fit into it
template <std::integral I, std::integral J, class R, class Map, class Combine>
  requires(!std::same_as<I, J>)
R parallel_reduce(I first, J last, R identity, Map&& map, Combine&& combine,
                  const loop_options& options = {}) {
  const auto [from, to] = detail::common_ends(first, last);
  return parallel_reduce(from, to, std::move(identity), std::forward<Map>(map),
                         std::forward<Combine>(combine), options);
}

}  // namespace nearfork
