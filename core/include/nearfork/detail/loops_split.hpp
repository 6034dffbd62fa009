/// \file
/// How ranges are cut up and shared out. The rules are in core/loops/README.md.
///
/// Everything here works on offsets [0, n) of 64 bits; what an offset means is the piece's
/// business: a callable piece(context&, first, last).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nearfork/context.hpp>
#include <nearfork/detail/loops_control.hpp>
#include <nearfork/detail/loops_pace.hpp>
#include <nearfork/join.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/pool.hpp>

namespace nearfork::detail {

/// Number of workers, and of nodes with workers, of the pool that \p c belongs to.
std::size_t workers_of(context& c) noexcept;
std::size_t nodes_of(context& c) noexcept;

constexpr std::uint64_t divide_up(std::uint64_t n, std::uint64_t by) noexcept {
  return n / by + (n % by != 0 ? 1 : 0);
}

/// Runs one piece; an exception ends the loop.
template <class Piece>
void run_piece(loop_control& control, Piece& piece, context& c, std::uint64_t first,
               std::uint64_t last) noexcept {
  try {
    piece(c, first, last);
  } catch (...) {
    control.fail();
  }
}

/// A loop that splits on demand.
///
/// What is not begun always lies in the deque as tasks, the largest at the bottom, but for the
/// rest of a piece that should be over in a few microseconds, and even that is split when a thief
/// asks. Thieves therefore get the larger half of what is left, and nothing that takes long is
/// out of their sight.
template <class Piece>
class adaptive_loop {
 public:
  adaptive_loop(loop_control& control, Piece& piece, std::size_t grain) noexcept
      : control_(control),
        piece_(piece),
        grain_(std::clamp<std::uint64_t>(grain, 1, std::uint64_t{1} << 62)) {}

  void run(context& c, std::uint64_t first, std::uint64_t last) noexcept {
    pace p(grain_);
    part(c, first, last, p);
  }

 private:
  void part(context& c, std::uint64_t first, std::uint64_t last, pace& p) noexcept {
    if (last - first > p.piece()) {
      split(c, first, last, p);
    } else {
      walk(c, first, last, p);
    }
  }

  void split(context& c, std::uint64_t first, std::uint64_t last, pace& p) noexcept {
    const std::uint64_t middle = first + (last - first) / 2;
    auto left = [&](context& here) noexcept { part(here, first, middle, p); };
    auto right = [&](context& here) noexcept {
      if (&here == &c) {
        part(here, middle, last, p);
      } else {
        run(here, middle, last);  // a thief finds its own pace
      }
    };
    join_in(c, left, right);
  }

  void walk(context& c, std::uint64_t first, std::uint64_t last, pace& p) noexcept {
    for (;;) {
      if (control_.halted()) return;
      const std::uint64_t n = std::min(last - first, p.step());
      run_piece(control_, piece_, c, first, first + n);
      first += n;
      p.done(n);
      if (first == last) return;
      if (last - first >= 2 * grain_ && context_access::hungry(c)) return split(c, first, last, p);
    }
  }

  loop_control& control_;
  Piece& piece_;
  std::uint64_t grain_;
};

/// Pieces [first, last), numbered, of a loop whose pieces are fixed: a balanced tree of joins.
template <class Run>
void run_numbered(context& c, std::uint64_t first, std::uint64_t last, Run& run) noexcept {
  if (last - first == 1) return run(c, first);
  const std::uint64_t middle = first + (last - first) / 2;
  auto left = [&](context& here) noexcept { run_numbered(here, first, middle, run); };
  auto right = [&](context& here) noexcept { run_numbered(here, middle, last, run); };
  join_in(c, left, right);
}

/// The offsets [0, n) in pieces of \p size.
template <class Piece>
void run_fixed(context& c, loop_control& control, Piece& piece, std::uint64_t n,
               std::uint64_t size) noexcept {
  auto run = [&](context& here, std::uint64_t k) noexcept {
    if (control.halted()) return;
    const std::uint64_t first = k * size;
    run_piece(control, piece, here, first, n - first > size ? first + size : n);
  };
  run_numbered(c, 0, divide_up(n, size), run);
}

/// Begins a contiguous share of [0, n) on each node of \p c's pool and waits for all; \p share does
/// not throw. In core/loops/by_node.cpp.
using share_function = void (*)(void* loop, context&, std::uint64_t first, std::uint64_t last);
void run_by_node(context& c, std::uint64_t n, share_function share, void* loop) noexcept;

/// Runs piece(context, first, last) over the offsets [0, n), n > 0.
template <class Piece>
void run_loop(context& c, loop_control& control, Piece& piece, std::uint64_t n,
              const loop_options& options) noexcept {
  if (options.schedule == schedule::fixed) {
    const std::uint64_t size = options.grain != 0 ? options.grain : divide_up(n, workers_of(c));
    return run_fixed(c, control, piece, n, size);
  }
  using loop = adaptive_loop<Piece>;
  loop l(control, piece, options.grain);
  if (options.schedule == schedule::by_node && nodes_of(c) > 1) {
    const auto share = [](void* p, context& here, std::uint64_t first, std::uint64_t last) {
      static_cast<loop*>(p)->run(here, first, last);
    };
    return run_by_node(c, n, share, &l);
  }
  l.run(c, 0, n);
}

/// Calls f(context) on the current worker, else in the default pool.
template <class F>
auto in_a_pool(F&& f) {
  if (context* const c = context_access::current()) [[likely]]
    return f(*c);
  return run_in_default_pool(f);
}

}  // namespace nearfork::detail
