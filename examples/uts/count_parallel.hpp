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
/// and a node at most one fork. Hence the loop in range(): while it explores one of a node's
/// children it offers the rest. If a thief took the rest, the thief does it; if nobody did, the
/// offer comes back at the end of the join, does nothing but say so, and the loop goes on with the
/// rest itself, in the same frame. (A plain divide-and-conquer over the children would need a frame
/// for each halving.) A leaf is done once it is known to be one: it costs no fork.
class strand {
 public:
  strand(const tree& t, shared_counts& sum, nearfork::context& worker)
      : tree_(t), sum_(sum), worker_(worker), stack_limit_(stack_limit()) {}
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;
  ~strand() { sum_.add(found_); }

  /// Visits the root and all that is below it.
  void whole_tree() {
    const node root = tree_.root();
    if (const std::uint32_t children = found_.enter(tree_, root); children > 0) {
      below(root, children);
    }
  }

 private:
  /// Nodes with more children than this are halved, so that one steal takes much of them. Where the
  /// work of a node is large, all are: down to a leaf, nothing may be done by one worker that
  /// several could share.
  std::uint32_t narrow() const noexcept { return tree_.made_from().g > 16 ? 1 : 16; }

  /// Visits the children of \p n, of which there are some, and all that is below them.
  void below(const node& n, std::uint32_t children) {
    if (stack_is_low(stack_limit_)) {
      count_below_on_heap(tree_, n, children, found_);
    } else {
      range(n, 0, children);
    }
  }

  /// Visits children \p first to \p last (exclusive) of \p parent, and all that is below them.
  [[gnu::noinline]] void range(const node& parent, std::uint32_t first, std::uint32_t last) {
    while (last - first > narrow()) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (!rest_is_ours_after([this, &parent, first, middle] { range(parent, first, middle); },
                              parent, middle, last)) {
        return;
      }
      first = middle;
    }
    for (; first < last; ++first) {
      const node n = tree_.child(parent, first);
      const std::uint32_t children = found_.enter(tree_, n);
      if (children == 0) {
        continue;
      }
      if (first + 1 == last) {
        below(n, children);
      } else if (!rest_is_ours_after([this, &n, children] { below(n, children); }, parent,
                                     first + 1, last)) {
        return;
      }
    }
  }

  /// Runs \p f and offers the given children meanwhile. \returns false if a thief did them.
  template <class F>
  [[gnu::always_inline]] bool rest_is_ours_after(const F& f, const node& parent,
                                                 std::uint32_t first, std::uint32_t last) {
    bool ours = false;
    nearfork::join(
        worker_, [&f](nearfork::context&) { f(); },
        [this, &parent, &ours, first, last](nearfork::context& worker) {
          if (&worker == &worker_) {
            ours = true;
          } else {
            run_stolen(worker, parent, first, last);
          }
        });
    return ours;
  }

  // Kept out of range()'s frame: the stack it needs is needed once, at a strand's start.
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
  pool.run([&](nearfork::context& worker) { detail::strand(t, sum, worker).whole_tree(); });
  return sum.get();
}

}  // namespace uts
