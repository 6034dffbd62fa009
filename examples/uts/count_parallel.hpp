/// \file
/// The search by fork-join.
#pragma once

#include <atomic>
#include <cstdint>
#include <nearfork/nearfork.hpp>

#include "count.hpp"
#include "count_serial.hpp"
#include "stack_limit.hpp"
#include "tree.hpp"

namespace uts {

namespace detail {

/// What the strands found together.
class shared_counts {
 public:
  void add(const counts& c) noexcept {
    nodes_.fetch_add(c.nodes, std::memory_order_relaxed);
    leaves_.fetch_add(c.leaves, std::memory_order_relaxed);
    std::uint64_t seen = depth_.load(std::memory_order_relaxed);
    while (seen < c.depth &&
           !depth_.compare_exchange_weak(seen, c.depth, std::memory_order_relaxed)) {
    }
  }
  /// To be called when all strands have been joined: join orders their additions before it.
  counts get() const noexcept {
    return {nodes_.load(std::memory_order_relaxed), leaves_.load(std::memory_order_relaxed),
            depth_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> nodes_{0}, leaves_{0}, depth_{0};
};

/// A depth-first walk by one worker, from a stolen range of children (or the root) on. It counts
/// in its own memory and adds to the shared counts once, at its end: steals are rare, nodes not.
///
/// Stack and overhead. Trees are thousands of levels deep, so a level should cost one small frame,
/// and a node about one fork. Hence the loop in range(): while it visits the first part of a node's
/// children it offers the rest. If a thief took the rest, the thief does it; if nobody did, the
/// offer comes back at the end of the join, does nothing but say so, and the loop goes on with the
/// rest itself, in the same frame. A plain divide-and-conquer over the children would need a frame
/// for each halving.
class strand {
 public:
  strand(const tree& t, shared_counts& sum, nearfork::context& worker)
      : tree_(t), sum_(sum), worker_(worker), stack_limit_(stack_limit()) {}
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;
  ~strand() { sum_.add(found_); }

  void visit(const node& n) {
    const std::uint32_t children = found_.enter(tree_, n);
    if (children == 0) {
      return;
    }
    if (stack_is_low(stack_limit_)) {
      count_below_on_heap(tree_, n, children, found_);
    } else {
      range(n, 0, children);
    }
  }

  /// Visits children \p first to \p last (exclusive) of \p parent; at least one.
  [[gnu::noinline]] void range(const node& parent, std::uint32_t first, std::uint32_t last) {
    while (last - first > 1) {
      // Wide nodes are halved, so that one steal takes much of them.
      const std::uint32_t width = last - first;
      const std::uint32_t middle = width > narrow ? first + width / 2 : first + 1;
      bool ours = false;
      nearfork::join(
          worker_,
          [this, &parent, first, middle](nearfork::context&) {
            if (middle - first == 1) {
              visit_child(parent, first);
            } else {
              range(parent, first, middle);
            }
          },
          [this, &parent, &ours, middle, last](nearfork::context& worker) {
            if (&worker == &worker_) {
              ours = true;
            } else {
              run_stolen(worker, parent, middle, last);
            }
          });
      if (!ours) {
        return;
      }
      first = middle;
    }
    visit_child(parent, first);
  }

 private:
  static constexpr std::uint32_t narrow = 16;

  // These are kept out of range()'s frame: what they need of the stack is needed once, not at
  // every place that calls them.
  [[gnu::noinline]] void visit_child(const node& parent, std::uint32_t i) {
    visit(tree_.child(parent, i));
  }
  [[gnu::noinline]] void run_stolen(nearfork::context& thief, const node& parent,
                                    std::uint32_t first, std::uint32_t last) const {
    strand(tree_, sum_, thief).range(parent, first, last);
  }

  const tree& tree_;
  shared_counts& sum_;
  nearfork::context& worker_;
  const std::uintptr_t stack_limit_;
  counts found_;
};

}  // namespace detail

/// Counts the whole tree with the workers of \p pool, by join alone. A tree of any depth is fine.
inline counts count_parallel(const tree& t, nearfork::pool& pool) {
  detail::shared_counts sum;
  pool.run([&](nearfork::context& worker) { detail::strand(t, sum, worker).visit(t.root()); });
  return sum.get();
}

}  // namespace uts
