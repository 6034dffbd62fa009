/// \file
/// A worker's own allocator on its node: the fast path.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <nearfork/detail/page_account.hpp>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/remote_list.hpp>
#include <nearfork/detail/sanitize.hpp>
#include <nearfork/detail/size_classes.hpp>
#include <nearfork/detail/slab.hpp>
#include <new>

namespace nearfork::detail {

/// Slabs of one class with room, first in first out: the longer one waits, the more blocks come
/// back to it.
struct slab_queue {
  slab* first = nullptr;
  slab* last = nullptr;
};

/// Everything a cache has. Lives on the node's own pages and is never unmapped: when its user ends
/// it is parked in the node's pool, with the slabs that still have blocks out, until the next user
/// adopts it. So a slab's owner can always be pushed to.
struct alignas(line_bytes) cache_state {
  remote_list remote;  ///< written by everybody: on a line of its own

  alignas(line_bytes) std::array<slab*, size_classes> current;  ///< never nullptr
  std::array<slab_queue, size_classes> partial{};
  std::array<slab*, slab_kinds> empty{};       ///< a few kept, so as not to take and give in turn
  std::array<unsigned, slab_kinds> empties{};  ///< how many
  node_pool* pool = nullptr;
  cache_state* next = nullptr;    ///< in the pool's list of parked ones (its lock)
  page_account account{nullptr};  ///< the slabs held here; the pool counts them too

  explicit cache_state(node_pool& p) noexcept;
};

// The owner's slow paths.
void* allocate_slow(cache_state& cache, unsigned size_class);
void freed_slow(slab& s) noexcept;
// Requests that get pages of their own.
void* allocate_direct(node_pool& pool, std::size_t bytes, std::size_t alignment);
void free_direct(void* p) noexcept;

/// A block of a class. Owner only.
inline void* take_block(cache_state& cache, unsigned size_class) {
  slab& s = *cache.current[size_class];
  free_block* block = s.free;
  if (block == nullptr) [[unlikely]]
    return allocate_slow(cache, size_class);
  s.free = block->next;
  ++s.used;
  unpoison(block, s.block_bytes);
  return block;
}

/// Back into its slab. Only the slab's owner.
inline void keep_block(slab& s, void* p) noexcept {
  s.free = ::new (p) free_block{s.free};
  poison(s.free + 1, s.block_bytes - sizeof(free_block));
  if (--s.used == s.trigger) [[unlikely]]
    freed_slow(s);
}

/// Back to whoever owns its slab. Any thread; lock-free.
inline void send_block(slab& s, void* p) noexcept {
  auto* block = ::new (p) free_block{nullptr};
  poison(block + 1, s.block_bytes - sizeof(free_block));
  s.owner->remote.push(block);
}

/// Gives back what some cache or pool of any node allocated, from a thread without a cache.
/// \p bytes and \p alignment as at allocation. Lock-free for pooled sizes.
inline void return_memory(void* p, std::size_t bytes,
                          std::size_t alignment = min_alignment) noexcept {
  if (needs_pages(bytes, alignment)) [[unlikely]]
    return free_direct(p);
  send_block(slab_of(p, kind_of(size_class(bytes, alignment))), p);
}

/// Allocates on one node for one thread at a time; blocks may be freed by any thread, through its
/// own cache of whatever node or through return_memory, also after this cache has ended.
class node_cache {
 public:
  /// Adopts what an earlier cache of the node left, or starts empty. \throws std::bad_alloc
  explicit node_cache(std::size_t node_os_id = any_node);
  /// Parks what is still in use with the node's pool and gives back the rest.
  ~node_cache();
  node_cache(const node_cache&) = delete;
  node_cache& operator=(const node_cache&) = delete;

  /// Memory for \p bytes (0 counts as 1), aligned to \p alignment (a power of two, at least 16 in
  /// effect), preferably on the node. A few nanoseconds up to 128 KiB; above, or for larger
  /// alignments, system calls. \throws std::bad_alloc. Owner only.
  void* allocate(std::size_t bytes, std::size_t alignment = min_alignment) {
    if (needs_pages(bytes, alignment)) [[unlikely]]
      return allocate_direct(*state_->pool, bytes, alignment);
    return take_block(*state_, size_class(bytes, alignment));
  }
  /// Gives back what any cache or pool allocated. \p bytes and \p alignment as at allocation.
  /// Owner only (of this cache, not of the block).
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = min_alignment) noexcept {
    if (needs_pages(bytes, alignment)) [[unlikely]]
      return free_direct(p);
    const unsigned c = size_class(bytes, alignment);
    slab& s = slab_of(p, kind_of(c));
    assert(s.size_class == c && "freed with another size than it was allocated with");
    if (s.owner == state_)
      keep_block(s, p);
    else
      send_block(s, p);
  }

  /// Takes in the blocks that others have freed. Allocation does so by itself whenever a slab runs
  /// out; a cache that stops allocating does not. Owner only.
  void collect() noexcept;
  /// collect(), and gives the node's pool every slab without blocks in use: what a worker does
  /// before it sleeps. Owner only.
  void trim() noexcept;

  /// The slabs held here, in bytes. Any thread.
  page_totals statistics() const noexcept { return state_->account.totals(); }
  std::size_t node_os_id() const noexcept;

 private:
  cache_state* state_;
  unsigned generation_;  ///< of forks: in a child the state may be half-way through anything
};

}  // namespace nearfork::detail
