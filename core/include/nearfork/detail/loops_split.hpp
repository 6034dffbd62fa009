/// \file
/// How ranges are cut up. The rules are in core/loops/README.md.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nearfork/context.hpp>
#include <nearfork/detail/atomic.hpp>
#include <nearfork/join.hpp>
#include <nearfork/loop_options.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nearfork::detail {

/// A cheap clock: ticks of about a third of a nanosecond to a few. Only ratios and orders of
/// magnitude matter.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// What the pieces of one loop share.
struct loop_state {
  const loop_options& options;
  atomic<std::uint32_t> over;  // 1: stopped or failed: begin nothing more

  bool finished() noexcept {
    if (over.load(std::memory_order_relaxed) != 0) return true;
    if (!options.stop.stop_requested()) return false;
    over.store(1, std::memory_order_relaxed);
    return true;
  }
  /// Runs one piece; an exception ends the loop.
  template <class Piece>
  void run(Piece& piece, std::uint64_t first, std::uint64_t last) {
    try {
      piece(first, last);
    } catch (...) {
      over.store(1, std::memory_order_relaxed);
      throw;
    }
  }
};

/// [first, last) in pieces that grow while they are quick; whenever a thief is hungry, half of
/// what is left becomes a task. Offsets, not indices.
template <class Piece>
void run_adaptive(context& c, loop_state& s, Piece& piece, std::uint64_t first, std::uint64_t last,
                  std::uint64_t size) {
  // Long enough that looking up costs nothing, short enough that a thief is not kept waiting.
  constexpr std::uint64_t quick = 1000;
  constexpr std::uint64_t slow = 20'000;
  const std::uint64_t grain = std::max<std::uint64_t>(1, s.options.grain);
  std::uint64_t before = ticks();
  while (first < last) {
    if (s.finished()) return;
    if (context_access::hungry(c) && last - first > grain) {
      const std::uint64_t middle = first + (last - first) / 2;
      auto left = [&](context& inner) { run_adaptive(inner, s, piece, first, middle, size); };
      auto right = [&](context& inner) { run_adaptive(inner, s, piece, middle, last, size); };
      join_in(c, left, right);
      return;
    }
    const std::uint64_t n = std::min(size, last - first);
    s.run(piece, first, first + n);
    first += n;
    const std::uint64_t now = ticks();
    const std::uint64_t spent = now - before;
    before = now;
    if (spent < quick) {
      size = size <= (last - first) / 8 ? size * 8 : std::max(size, last - first);
    } else if (spent > slow && size > grain) {
      size = std::max(grain, size / 2);
    }
  }
}

/// Pieces [first, last) of a loop with pieces of fixed size: a balanced tree of joins.
template <class Run>
void run_pieces(context& c, std::uint64_t first, std::uint64_t last, Run& run) {
  if (last - first == 1) return run(c, first);
  const std::uint64_t middle = first + (last - first) / 2;
  auto left = [&](context& inner) { run_pieces(inner, first, middle, run); };
  auto right = [&](context& inner) { run_pieces(inner, middle, last, run); };
  join_in(c, left, right);
}

/// Shares out by node; in core/loops/by_node.cpp. \p piece(state, context, first, last)
void run_by_node(context& c, std::uint64_t n,
                 void (*piece)(void*, context&, std::uint64_t, std::uint64_t), void* state);

/// Number of workers of the pool that \p c belongs to.
std::size_t workers_of(context& c) noexcept;

/// Runs piece(first, last) over the offsets [0, n). Returns whether all ran.
template <class Piece>
bool run_loop(context& c, std::uint64_t n, const loop_options& options, Piece piece) {
  loop_state s{options, {}};
  if (n == 0) return true;
  switch (options.schedule) {
    case schedule::adaptive:
      run_adaptive(c, s, piece, 0, n, std::max<std::uint64_t>(1, options.grain));
      break;
    case schedule::fixed: {
      const std::uint64_t workers = workers_of(c);
      const std::uint64_t size =
          options.grain != 0 ? options.grain : n / workers + (n % workers != 0 ? 1 : 0);
      const std::uint64_t pieces = n / size + (n % size != 0 ? 1 : 0);
      auto run = [&](context&, std::uint64_t k) {
        if (!s.finished()) s.run(piece, k * size, n - k * size > size ? (k + 1) * size : n);
      };
      run_pieces(c, 0, pieces, run);
      break;
    }
    case schedule::by_node: {
      struct both {
        loop_state& s;
        Piece& piece;
      } state{s, piece};
      run_by_node(
          c, n,
          [](void* p, context& inner, std::uint64_t first, std::uint64_t last) {
            auto& b = *static_cast<both*>(p);
            run_adaptive(inner, b.s, b.piece, first, last,
                         std::max<std::uint64_t>(1, b.s.options.grain));
          },
          &state);
      break;
    }
  }
  return s.over.load(std::memory_order_relaxed) == 0;
}

/// Calls f(context) in the current worker's pool, else in the default pool.
template <class F>
auto in_a_pool(F&& f) {
  if (context* const c = context_access::current()) return f(*c);
  return run_in_default_pool(f);
}

/// How far apart two integers of any type are; 0 if inverted.
template <std::integral I>
constexpr std::uint64_t distance_of(I first, I last) noexcept {
  static_assert(sizeof(I) <= 8);
  return last > first ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
}
/// Ends of different types in their common type. \throws std::out_of_range if one does not fit
template <std::integral I, std::integral J>
std::pair<std::common_type_t<I, J>, std::common_type_t<I, J>> common_ends(I first, J last) {
  using common = std::common_type_t<I, J>;
  if (!std::in_range<common>(first) || !std::in_range<common>(last)) {
    throw std::out_of_range(
        "nearfork: the ends of a loop have types of different signedness, and a value does not fit "
        "into their common type");
  }
  return {static_cast<common>(first), static_cast<common>(last)};
}
/// first + offset, which lies in the type's range.
template <std::integral I>
constexpr I index_at(I first, std::uint64_t offset) noexcept {
  return static_cast<I>(static_cast<std::uint64_t>(first) + offset);
}

}  // namespace nearfork::detail
