/// \file
/// Divide and conquer, with and without forks: an algorithm that takes one of the two policies is
/// written once, and its serial run differs from its parallel one in nothing else.
#pragma once

#include <cstddef>
#include <nearfork/nearfork.hpp>
#include <utility>

namespace common {

/// Runs both callables, one after the other. They return values.
struct without_forks {
  template <class F, class G>
  auto operator()(F&& f, G&& g) const {
    auto first = f();
    auto second = g();
    return std::pair(std::move(first), std::move(second));
  }
};

/// Runs both callables by nearfork::join.
struct with_forks {
  template <class F, class G>
  auto operator()(F&& f, G&& g) const {
    return nearfork::join(std::forward<F>(f), std::forward<G>(g));
  }
};

/// Halves [first, last) down to pieces of at most \p grain indices, calls `leaf(from, to)` on each
/// and combines the results in index order by `combine(left, right)`. Cuts lie at multiples of
/// \p grain above \p first, so that the pieces do not depend on who runs them.
template <class Fork, class Leaf, class Combine>
auto divide(std::size_t first, std::size_t last, std::size_t grain, Fork fork, const Leaf& leaf,
            const Combine& combine) -> decltype(leaf(first, last)) {
  const std::size_t pieces = (last - first + grain - 1) / grain;
  if (pieces <= 1) {
    return leaf(first, last);
  }
  const std::size_t middle = first + pieces / 2 * grain;
  auto [left, right] = fork([&] { return divide(first, middle, grain, fork, leaf, combine); },
                            [&] { return divide(middle, last, grain, fork, leaf, combine); });
  return combine(std::move(left), std::move(right));
}

/// The same for its effect: calls `leaf(from, to)`.
template <class Fork, class Leaf>
void for_pieces(std::size_t first, std::size_t last, std::size_t grain, Fork fork,
                const Leaf& leaf) {
  struct nothing {};
  divide(
      first, last, grain, fork,
      [&](std::size_t from, std::size_t to) {
        leaf(from, to);
        return nothing{};
      },
      [](nothing, nothing) { return nothing{}; });
}

}  // namespace common
