// Loops whose shares begin on their nodes.
#include <exception>
#include <memory>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/detail/partition.hpp>
#include <vector>

#include "pool/scheduler.hpp"
#include "pool/wait_until.hpp"
#include "pool/worker.hpp"
#include "sleep/futex.hpp"

namespace nearfork::detail {
namespace {

/// The shares of one loop. Whoever claims a share runs it: a worker of its node that finds it in
/// the injector, or the caller once it has nothing else to do. So nobody depends on a task that
/// nobody may take (the only worker in an isolated or deep wait), and what is left in an injector
/// when all is done finds its share claimed. It may outlive the loop: hence shared ownership.
class node_shares {
 public:
  node_shares(std::vector<part> parts, share_function share, void* loop)
      : parts_(std::move(parts)),
        claimed_(std::make_unique<atomic<std::uint32_t>[]>(parts_.size())),
        open_(static_cast<std::uint32_t>(parts_.size())),
        share_(share),
        loop_(loop) {}

  const std::vector<part>& parts() const noexcept { return parts_; }

  void take(std::size_t k, context& c) noexcept {
    // relaxed: what the share needs came with the task, or is the caller's own.
    if (claimed_[k].exchange(1, std::memory_order_relaxed) != 0) return;
    share_(loop_, c, parts_[k].first, parts_[k].last);
    // release: the share's effects. A sleeping caller is woken by the last one alone.
    if (open_.fetch_sub(1, std::memory_order_release) == 1) futex_wake(open_, 1);
  }

  void wait(worker& w) noexcept {
    w.owner.wait_until(
        w, w.deque().position(), [this] { return open_.load(std::memory_order_acquire) == 0; },
        [] { return npos; },
        [this](std::chrono::nanoseconds nap) {
          const std::uint32_t seen = open_.load(std::memory_order_acquire);
          if (seen != 0) futex_wait_for(open_, seen, nap);
        });
  }

 private:
  std::vector<part> parts_;
  std::unique_ptr<atomic<std::uint32_t>[]> claimed_;  // by place in parts_
  atomic<std::uint32_t> open_;                        // shares that are not finished
  share_function share_;
  void* loop_;  // alive while a share is open
};

}  // namespace

std::size_t workers_of(context& c) noexcept { return static_cast<worker&>(c).owner.worker_count(); }
std::size_t nodes_of(context& c) noexcept { return static_cast<worker&>(c).owner.node_count(); }

void run_by_node(context& c, std::uint64_t n, share_function share, void* loop) noexcept {
  auto& w = static_cast<worker&>(c);
  std::shared_ptr<node_shares> shares;
  std::size_t own = 0;
  try {
    // As numa_array distributes its blocks, but for the rounding to pages.
    shares =
        std::make_shared<node_shares>(make_partition(n, nodes_of(c), block, 0, 0), share, loop);
  } catch (const std::bad_alloc&) {
    share(loop, c, 0, n);
    return;
  }
  const std::vector<part>& parts = shares->parts();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].node == c.node()) own = k;
  }
  try {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k != own) {
        w.owner.owner().submit_to(parts[k].node,
                                  [shares, k](context& here) { shares->take(k, here); });
      }
    }
  } catch (const std::bad_alloc&) {
    // Shares without a task are left for this worker.
  }
  for (std::size_t i = 0; i < parts.size(); ++i) shares->take((own + i) % parts.size(), c);
  shares->wait(w);
}

}  // namespace nearfork::detail
