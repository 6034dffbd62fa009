/// \file
/// Parallel prefix sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/exceptions.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/pool.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {
namespace detail {

/// Number of blocks of a scan over \p n elements: fixed by length and grain alone.
constexpr std::uint64_t scan_block(std::uint64_t n, std::size_t grain) noexcept {
  if (grain != 0) return grain;
  const std::uint64_t blocks = std::clamp<std::uint64_t>(n / 2048, 1, 512);
  return n / blocks + (n % blocks != 0 ? 1 : 0);
}

/// Two passes over blocks: sums of all blocks but the last; then each block from its carry.
/// \p init: what stands before the first element, if anything. \p inclusive: whether an element's
/// own value is part of its result.
template <class T, class In, class Out, class Op>
Out scan(In first, In last, Out out, std::optional<T> init, Op op, bool inclusive,
         const loop_options& options) {
  using difference = typename std::iterator_traits<In>::difference_type;
  const auto n = static_cast<std::uint64_t>(last - first);
  if (last <= first) return out;
  const std::uint64_t size = scan_block(n, options.grain);
  const std::uint64_t blocks = n / size + (n % size != 0 ? 1 : 0);
  const auto at = [&](std::uint64_t i) { return first + static_cast<difference>(i); };
  const auto to = [&](std::uint64_t i) {
    return out + static_cast<typename std::iterator_traits<Out>::difference_type>(i);
  };
  loop_state state{options, {}};
  std::vector<std::optional<T>> carry(blocks);  // what stands before each block
  carry[0] = std::move(init);
  in_a_pool([&](context& c) {
    const auto each_block = [&](std::uint64_t count, auto&& body) {
      auto piece = [&](std::uint64_t k, std::uint64_t) {
        body(k, k * size, n - k * size > size ? (k + 1) * size : n);
      };
      auto run = [&](context&, std::uint64_t k) {
        if (!state.finished()) state.run(piece, k, k + 1);
      };
      if (count != 0) run_pieces(c, 0, count, run);
    };
    each_block(blocks - 1, [&](std::uint64_t k, std::uint64_t from, std::uint64_t end) {
      T sum(*at(from));
      for (std::uint64_t i = from + 1; i < end; ++i) sum = op(std::move(sum), *at(i));
      carry[k + 1].emplace(std::move(sum));
    });
    if (state.finished()) return;
    for (std::uint64_t k = 1; k < blocks; ++k) {
      if (carry[k - 1]) carry[k].emplace(op(std::as_const(*carry[k - 1]), *std::move(carry[k])));
    }
    each_block(blocks, [&](std::uint64_t k, std::uint64_t from, std::uint64_t end) {
      std::optional<T>& sum = carry[k];
      for (std::uint64_t i = from; i < end; ++i) {
        if (inclusive) {
          if (sum) {
            sum.emplace(op(*std::move(sum), *at(i)));
          } else {
            sum.emplace(*at(i));
          }
          *to(i) = std::as_const(*sum);
        } else {
          T next = op(std::as_const(*sum), *at(i));  // before *to(i), which may be *at(i)
          *to(i) = *std::move(sum);
          sum.emplace(std::move(next));
        }
      }
    });
  });
  if (state.over.load(std::memory_order_relaxed) != 0) {
    throw cancelled("nearfork: scan stopped before the whole range was covered");
  }
  return to(n);
}

}  // namespace detail

/// std::inclusive_scan in parallel: *(d_first + i) = x0 op x1 op ... op xi, in order; \p op is
/// taken to be associative and need not be commutative. Random-access iterators; d_first may equal
/// first. Blocks are fixed by length and options.grain alone, so the bits are the same for every
/// worker count. O(n) calls of op, about 2n. \returns d_first + n
/// \throws cancelled when stopped (the output is then partly written); what op throws
template <std::random_access_iterator In, std::random_access_iterator Out, class Op = std::plus<>>
  requires(!std::same_as<std::remove_cvref_t<Op>, loop_options>)
Out inclusive_scan(In first, In last, Out d_first, Op op = {}, const loop_options& options = {}) {
  using value = typename std::iterator_traits<In>::value_type;
  return detail::scan<value>(first, last, d_first, std::nullopt, std::move(op), true, options);
}
template <std::random_access_iterator In, std::random_access_iterator Out>
Out inclusive_scan(In first, In last, Out d_first, const loop_options& options) {
  return inclusive_scan(first, last, d_first, std::plus<>{}, options);
}
/// With a value before the first element, as in std::inclusive_scan.
template <std::random_access_iterator In, std::random_access_iterator Out, class Op, class T>
  requires(!std::same_as<std::remove_cvref_t<T>, loop_options>)
Out inclusive_scan(In first, In last, Out d_first, Op op, T init,
                   const loop_options& options = {}) {
  return detail::scan<T>(first, last, d_first, std::optional<T>(std::move(init)), std::move(op),
                         true, options);
}

/// std::exclusive_scan in parallel: *(d_first + i) = init op x0 op ... op x(i-1). As
/// inclusive_scan().
template <std::random_access_iterator In, std::random_access_iterator Out, class T,
          class Op = std::plus<>>
  requires(!std::same_as<std::remove_cvref_t<Op>, loop_options>)
Out exclusive_scan(In first, In last, Out d_first, T init, Op op = {},
                   const loop_options& options = {}) {
  return detail::scan<T>(first, last, d_first, std::optional<T>(std::move(init)), std::move(op),
                         false, options);
}
template <std::random_access_iterator In, std::random_access_iterator Out, class T>
Out exclusive_scan(In first, In last, Out d_first, T init, const loop_options& options) {
  return exclusive_scan(first, last, d_first, std::move(init), std::plus<>{}, options);
}

}  // namespace nearfork
