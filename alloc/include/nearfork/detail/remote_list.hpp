/// \file
/// How blocks freed elsewhere return home: a lock-free stack with many producers and one consumer.
#pragma once

#include <atomic>

namespace nearfork::detail {

/// A free block: its first word is the link.
struct free_block {
  free_block* next;
};

/// Blocks on their way home to the cache that owns their slabs. Any thread pushes, the owner alone
/// takes, and takes everything at once.
///
/// Invariant: the list reachable from head_ holds exactly the blocks pushed since the last
/// take_all(), each once.
/// - A push links its block to the head it read and publishes it with a compare-and-swap. If the
///   swap succeeds, the head is still that very block. The head may have left and come back in
///   between (A-B-A); that is harmless, since nothing but the head's address went into the link,
///   and the list behind it is the present one: blocks are only ever removed all together.
/// - take_all() is one exchange: a push happens wholly before or wholly after it, so no block is
///   lost and none is seen twice.
/// Orders: a successful push releases, take_all() acquires. Pushes are read-modify-writes, so each
/// continues the release sequence of the ones below it, and the one acquire synchronises with every
/// pusher in the chain: the owner sees all links, all that the freeing threads did to the blocks,
/// and (what lets a slab change hands) their reads of the slab's header. The load that starts a
/// push and its failed swaps may be relaxed: the value is only stored and compared, never followed.
class remote_list {
 public:
  /// Gives one block back. Any thread; lock-free.
  void push(free_block* block) noexcept {
    free_block* head = head_.load(std::memory_order_relaxed);
    do {
      block->next = head;
    } while (!head_.compare_exchange_weak(head, block, std::memory_order_release,
                                          std::memory_order_relaxed));
  }
  /// Takes all blocks, newest first, linked by next; nullptr when there are none. Owner only.
  free_block* take_all() noexcept {
    // Looked at first so that an owner with nothing to collect leaves the line shared. A push that
    // is missed here is found by the next call.
    if (head_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return head_.exchange(nullptr, std::memory_order_acquire);
  }
  bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

 private:
  std::atomic<free_block*> head_{nullptr};
};

}  // namespace nearfork::detail
