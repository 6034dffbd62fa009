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

/// One reduction. Values that are not there (the loop was halted) are empty optionals. They are
/// written where they are wanted: to return one costs more than many an operation.
template <class T, class I, class Map, class Combine>
struct reduction {
  using value = std::optional<T>;

  loop_control& control;
  Map& map;
  Combine& combine;
  I first;
  std::uint64_t n;
  std::uint64_t size;  // of a leaf

  std::uint64_t leaves() const noexcept { return divide_up(n, size); }

  void leaf(context& c, std::uint64_t k, value& out) noexcept {
    if (control.halted()) return;
    const std::uint64_t from = k * size;
    const std::uint64_t to = n - from > size ? from + size : n;
    try {
      const I end = index_at(first, to);
      I i = index_at(first, from);
      if constexpr (takes_indices<Map, I>) {
        T sum = static_cast<T>(call_with_index(map, i, c));
        for (++i; i < end; ++i) {
          sum = std::invoke(combine, std::move(sum), call_with_index(map, i, c));
        }
        out.emplace(std::move(sum));
      } else {
        out.emplace(static_cast<T>(call_with_range(map, index_range<I>(i, end), c)));
      }
    } catch (...) {
      control.fail();
    }
  }

  void put_together(value& a, value& b, value& out) noexcept {
    if (!a || !b) return;
    try {
      out.emplace(std::invoke(combine, *std::move(a), *std::move(b)));
    } catch (...) {
      control.fail();
    }
  }

  /// The tree over leaves [a, b): halves, the right one the larger if they differ. Its nodes are
  /// forks where that is worth while. \p get gives a leaf's value; \p p counts leaves.
  template <class Get>
  void tree(context& c, std::uint64_t a, std::uint64_t b, Get& get, pace& p, value& out) noexcept {
    if (b - a == 1) {
      get(c, a, out);
      p.done(1);
      return;
    }
    if (b - a > p.piece() || context_access::hungry(c)) return fork(c, a, b, get, p, out);
    const std::uint64_t middle = a + (b - a) / 2;
    value x;
    value y;
    tree(c, a, middle, get, p, x);
    tree(c, middle, b, get, p, y);
    put_together(x, y, out);
  }
  // A function of its own: its frame is several times as large.
  template <class Get>
  [[gnu::noinline]] void fork(context& c, std::uint64_t a, std::uint64_t b, Get& get, pace& p,
                              value& out) noexcept {
    const std::uint64_t middle = a + (b - a) / 2;
    value x;
    value y;
    auto left = [&](context& here) noexcept { tree(here, a, middle, get, p, x); };
    auto right = [&](context& here) noexcept {
      if (&here == &c) return tree(here, middle, b, get, p, y);
      pace own(b - middle, 1);  // a thief finds its own
      tree(here, middle, b, get, own, y);
    };
    join_in(c, left, right);
    put_together(x, y, out);
  }
  template <class Get>
  void tree(context& c, Get get, value& out) noexcept {
    pace p(leaves(), 1);
    tree(c, 0, leaves(), get, p, out);
  }

  void run(context& c, value& out) noexcept {
    tree(c, [this](context& here, std::uint64_t k, value& v) noexcept { leaf(here, k, v); }, out);
  }

  /// Leaves where their node is, then the same tree over their values.
  void run_by_node(context& c, const loop_options& options, value& out) noexcept {
    std::vector<value> values;
    try {
      values.resize(leaves());
    } catch (const std::bad_alloc&) {
      return run(c, out);
    }
    auto piece = [&](context& here, std::uint64_t from, std::uint64_t to) noexcept {
      for (std::uint64_t k = from; k < to; ++k) leaf(here, k, values[k]);
    };
    run_loop(c, control, piece, leaves(), {.grain = 1, .stop = {}, .schedule = options.schedule});
    const auto get = [&](context&, std::uint64_t k, value& v) noexcept {
      if (values[k]) v.emplace(*std::move(values[k]));
    };
    tree(c, get, out);
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
  std::optional<T> result;
  detail::in_a_pool([&](context& c) {
    detail::loop_control control(options.stop);
    detail::reduction<T, I, std::remove_reference_t<Map>, std::remove_reference_t<Combine>> r{
        control, map, combine, first, n, detail::reduce_leaf(n, options.grain)};
    if (options.schedule == schedule::by_node && detail::nodes_of(c) > 1) {
      r.run_by_node(c, options, result);
    } else {
      r.run(c, result);
    }
    control.finish();  // rethrows
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
