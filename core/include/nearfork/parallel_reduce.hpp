/// \file
/// Parallel reductions whose bits do not depend on the machine.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nearfork/detail/loops_index.hpp>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/exceptions.hpp>
#include <nearfork/index_range.hpp>
#include <nearfork/loop_options.hpp>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {
namespace detail {

/// How many indices a leaf of a reduction has: a rule by length and grain alone. 64 leaves for
/// short ranges, one for each 1,024 indices from 65,536 on, 4,096 leaves from 4,194,304 on.
constexpr std::uint64_t reduce_leaf(std::uint64_t n, std::size_t grain) noexcept {
  if (grain != 0) return grain;
  return divide_up(n, std::clamp<std::uint64_t>(n / 1024, 64, 4096));
}

/// One reduction. Values that are not there (the loop was halted) are empty optionals.
template <class T, class I, class Map, class Combine>
struct reduction {
  loop_control& control;
  Map& map;
  Combine& combine;
  I first;
  std::uint64_t n;
  std::uint64_t size;  // of a leaf

  std::uint64_t leaves() const noexcept { return divide_up(n, size); }

  std::optional<T> leaf(context& c, std::uint64_t k) noexcept {
    if (control.halted()) return std::nullopt;
    const std::uint64_t from = k * size;
    const std::uint64_t to = n - from > size ? from + size : n;
    try {
      const I end = index_at(first, to);
      I i = index_at(first, from);
      if constexpr (takes_indices<Map, I>) {
        T value = static_cast<T>(call_with_index(map, i, c));
        for (++i; i < end; ++i) {
          value = std::invoke(combine, std::move(value), call_with_index(map, i, c));
        }
        return std::optional<T>(std::move(value));
      } else {
        return std::optional<T>(static_cast<T>(call_with_range(map, index_range<I>(i, end), c)));
      }
    } catch (...) {
      control.fail();
      return std::nullopt;
    }
  }

  std::optional<T> combined(std::optional<T> a, std::optional<T> b) noexcept {
    if (!a || !b) return std::nullopt;
    try {
      return std::optional<T>(std::invoke(combine, *std::move(a), *std::move(b)));
    } catch (...) {
      control.fail();
      return std::nullopt;
    }
  }

  /// The tree over leaves [a, b): halves, the right one the larger if they differ. \p get gives a
  /// leaf's value.
  template <class Get>
  std::optional<T> tree(context& c, std::uint64_t a, std::uint64_t b, Get& get) noexcept {
    if (b - a == 1) return get(c, a);
    const std::uint64_t middle = a + (b - a) / 2;
    auto left = [&](context& here) noexcept { return tree(here, a, middle, get); };
    auto right = [&](context& here) noexcept { return tree(here, middle, b, get); };
    auto [x, y] = join_in(c, left, right);
    return combined(std::move(x), std::move(y));
  }

  std::optional<T> run(context& c) noexcept {
    auto get = [this](context& here, std::uint64_t k) noexcept { return leaf(here, k); };
    return tree(c, 0, leaves(), get);
  }

  /// Leaves where their node is, then the same tree over their values.
  std::optional<T> run_by_node(context& c, const loop_options& options) noexcept {
    std::vector<std::optional<T>> values;
    try {
      values.resize(leaves());
    } catch (const std::bad_alloc&) {
      return run(c);
    }
    auto piece = [&](context& here, std::uint64_t from, std::uint64_t to) noexcept {
      for (std::uint64_t k = from; k < to; ++k) {
        if (std::optional<T> v = leaf(here, k)) values[k].emplace(*std::move(v));
      }
    };
    run_loop(c, control, piece, leaves(), {.grain = 1, .stop = {}, .schedule = options.schedule});
    auto get = [&](context&, std::uint64_t k) noexcept { return std::move(values[k]); };
    return tree(c, 0, leaves(), get);
  }
};

}  // namespace detail

/// Reduces map(first), ..., map(last - 1) by \p combine, in index order.
///
/// \p map takes an index, or an index_range for a whole leaf at once, and may take a
/// nearfork::context& after it. \p combine(T, T) is taken to be associative and need not be
/// commutative. T, the type of \p identity, must be movable. Leaves and the tree above them are
/// fixed by the length and options.grain alone (core/loops/README.md), never by workers, stealing
/// or timing: so the result has the same bits for every worker count and run, also for
/// floating-point sums. \p identity is the result of an empty range and is not used otherwise.
///
/// With grain 0 a leaf of a short range is one 64th of it: where each index takes long and there
/// are more than 64 of them, give grain 1. schedule::by_node begins each node's share of the
/// leaves there; fixed is the same as adaptive.
/// \throws the first exception of map or combine; cancelled when options.stop was requested before
/// the end
template <detail::loop_index I, class T, class Map, class Combine>
T parallel_reduce(I first, I last, T identity, Map&& map, Combine&& combine,
                  const loop_options& options = {}) {
  const std::uint64_t n = detail::distance_of(first, last);
  if (n == 0) return identity;
  std::optional<T> result = detail::in_a_pool([&](context& c) {
    detail::loop_control control(options.stop);
    detail::reduction<T, I, std::remove_reference_t<Map>, std::remove_reference_t<Combine>> r{
        control, map, combine, first, n, detail::reduce_leaf(n, options.grain)};
    std::optional<T> value = options.schedule == schedule::by_node && detail::nodes_of(c) > 1
                                 ? r.run_by_node(c, options)
                                 : r.run(c);
    control.finish();  // rethrows
    return value;
  });
  if (!result) {
    throw cancelled("nearfork::parallel_reduce: stopped before the whole range was covered");
  }
  return *std::move(result);
}

/// The same where the two ends have different types: the index type is their common type.
/// \throws std::out_of_range when an end does not fit into it
template <detail::loop_index I, detail::loop_index J, class T, class Map, class Combine>
  requires(!std::same_as<I, J>)
T parallel_reduce(I first, J last, T identity, Map&& map, Combine&& combine,
                  const loop_options& options = {}) {
  const auto [from, to] = detail::common_ends(first, last);
  return parallel_reduce(from, to, std::move(identity), std::forward<Map>(map),
                         std::forward<Combine>(combine), options);
}

}  // namespace nearfork
