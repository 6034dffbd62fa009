/// \file
/// Data-parallel work morsel by morsel, each node's data by its own workers first.
///
/// After Leis et al., "Morsel-driven parallelism", SIGMOD 2014: work is cut into small pieces of
/// the data, claimed one by one from the worker's own node, then from the nearest other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nearfork/detail/morsel_source.hpp>
#include <nearfork/exceptions.hpp>
#include <nearfork/numa_array.hpp>
#include <nearfork/pool.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {

/// One piece of work: indices [first(), last()) whose data belongs to node().
class morsel {
 public:
  morsel(std::size_t first, std::size_t last, node_index node, bool local) noexcept
      : first_(first), last_(last), node_(node), local_(local) {}
  std::size_t first() const noexcept { return first_; }
  std::size_t last() const noexcept { return last_; }
  std::size_t size() const noexcept { return last_ - first_; }
  /// The node that the data belongs to.
  node_index node() const noexcept { return node_; }
  /// Whether that is the node of the worker that has the morsel.
  bool local() const noexcept { return local_; }

 private:
  std::size_t first_;
  std::size_t last_;
  node_index node_;
  bool local_;
};

/// Options of morsel_for and morsel_reduce.
struct morsel_options {
  std::stop_token stop;  ///< looked at before each morsel
};

namespace detail {

/// Calls what the user gave with a span and a morsel, a span, or a morsel.
template <class Body, class T>
decltype(auto) call_with_span(Body& body, T* data, const morsel& m) {
  const std::span<T> s(data + m.first(), m.size());
  if constexpr (std::is_invocable_v<Body&, std::span<T>, const morsel&>) {
    return body(s, m);
  } else if constexpr (std::is_invocable_v<Body&, std::span<T>>) {
    return body(s);
  } else {
    return body(m);
  }
}
template <class Body>
decltype(auto) call_with_range(Body& body, std::size_t offset, const morsel& m) {
  if constexpr (std::is_invocable_v<Body&, std::size_t, std::size_t>) {
    return body(offset + m.first(), offset + m.last());
  } else {
    return body(m);
  }
}

/// Runs piece(morsel) for all morsels of a source. Returns whether all ran.
template <class Piece>
bool run_morsels(morsel_source& source, const morsel_options& options, Piece piece) {
  return source.run(
      options.stop,
      [](void* p, const morsel_claim& c) {
        (*static_cast<Piece*>(p))(morsel(c.first, c.last, c.node, c.local), c.number);
      },
      &piece);
}

template <class R, class Combine>
R fold_in_order(std::vector<std::optional<R>>& results, R start, Combine& combine) {
  for (std::optional<R>& r : results) start = combine(std::move(start), *std::move(r));
  return start;
}

}  // namespace detail

/// Calls \p body for pieces of at most \p morsel_size elements (0: a size by default) that cover
/// the array, each piece within one node's part. Workers take their own node's pieces first, then
/// the nearest other node's.
///
/// \p body is called as body(std::span<T>, const morsel&), body(std::span<T>) or
/// body(const morsel&), by several workers at once. The number of workers (pool::resize) and
/// options.stop may change at any time; both take effect between morsels.
/// \returns whether the whole array was covered; false: stopped.
/// \throws the first exception of body; the pieces not begun by then are left out.
template <class T, class Body>
bool morsel_for(numa_array<T>& array, std::size_t morsel_size, Body&& body,
                const morsel_options& options = {}) {
  detail::morsel_source source(array.owner(), array.parts(), morsel_size, sizeof(T));
  return detail::run_morsels(source, options, [&](const morsel& m, std::size_t) {
    detail::call_with_span(body, array.data(), m);
  });
}
template <class T, class Body>
bool morsel_for(const numa_array<T>& array, std::size_t morsel_size, Body&& body,
                const morsel_options& options = {}) {
  detail::morsel_source source(array.owner(), array.parts(), morsel_size, sizeof(T));
  return detail::run_morsels(source, options, [&](const morsel& m, std::size_t) {
    detail::call_with_span(body, array.data(), m);
  });
}

/// The same over the indices [first, last), shared out evenly over the nodes; for loops over
/// several arrays of equal length and distribution. \p body is called as body(first, last) or
/// body(const morsel&); a morsel's indices count from \p first.
template <class Body>
bool morsel_for(std::size_t first, std::size_t last, std::size_t morsel_size, Body&& body,
                const morsel_options& options = {}) {
  pool& p = pool::current() != nullptr ? *pool::current() : default_pool();
  const std::size_t n = last > first ? last - first : 0;
  detail::morsel_source source(p, detail::make_partition(n, p.node_count(), block, 0, 0),
                               morsel_size, 0);
  return detail::run_morsels(source, options, [&](const morsel& m, std::size_t) {
    detail::call_with_range(body, first, m);
  });
}

/// Reduces an array morsel by morsel: \p map is called like morsel_for's body and returns a value;
/// these are combined from \p identity on, in index order: combine(...combine(combine(identity,
/// r0), r1)..., rn). What is combined with what depends on length, distribution and morsel size
/// alone, so the bits are the same for every worker count and run.
/// \throws cancelled when stopped; the first exception of map or combine
template <class T, class R, class Map, class Combine>
R morsel_reduce(const numa_array<T>& array, std::size_t morsel_size, R identity, Map&& map,
                Combine&& combine, const morsel_options& options = {}) {
  detail::morsel_source source(array.owner(), array.parts(), morsel_size, sizeof(T));
  std::vector<std::optional<R>> results(source.count());
  if (!detail::run_morsels(source, options, [&](const morsel& m, std::size_t number) {
        results[number].emplace(detail::call_with_span(map, array.data(), m));
      })) {
    throw cancelled("nearfork::morsel_reduce: stopped before the whole array was covered");
  }
  return detail::fold_in_order(results, std::move(identity), combine);
}

/// The same over indices; \p map is called like the body of morsel_for over indices.
template <class R, class Map, class Combine>
R morsel_reduce(std::size_t first, std::size_t last, std::size_t morsel_size, R identity, Map&& map,
                Combine&& combine, const morsel_options& options = {}) {
  pool& p = pool::current() != nullptr ? *pool::current() : default_pool();
  const std::size_t n = last > first ? last - first : 0;
  detail::morsel_source source(p, detail::make_partition(n, p.node_count(), block, 0, 0),
                               morsel_size, 0);
  std::vector<std::optional<R>> results(source.count());
  if (!detail::run_morsels(source, options, [&](const morsel& m, std::size_t number) {
        results[number].emplace(detail::call_with_range(map, first, m));
      })) {
    throw cancelled("nearfork::morsel_reduce: stopped before the whole range was covered");
  }
  return detail::fold_in_order(results, std::move(identity), combine);
}

}  // namespace nearfork
