/// \file
/// All pooled memory of one node: where caches get slabs, and where threads without a cache
/// allocate.
#pragma once

#include <array>
#include <cstddef>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/small_lock.hpp>
#include <nearfork/node_resource.hpp>

namespace nearfork::detail {

/// One per node and process, never destroyed. Every public member may be called by any thread.
///
/// Locks, outermost first: a shard's, the pool's. A thread that holds the pool's lock never waits
/// for a shard's.
class node_pool {
 public:
  /// The pool of the node with this operating-system id; any_node: unbound memory.
  static node_pool& of(std::size_t node_os_id);

  node_pool(const node_pool&) = delete;
  node_pool& operator=(const node_pool&) = delete;

  std::size_t node_os_id() const noexcept { return node_os_id_; }

  /// This pool as std::pmr wants it.
  node_memory_resource& resource() noexcept { return resource_; }

  /// As node_cache::allocate, some 20 ns: the price of a lock that is nearly always free.
  void* allocate(std::size_t bytes, std::size_t alignment = min_alignment);
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = min_alignment) noexcept {
    return_memory(p, bytes, alignment);
  }

  /// Bytes that the pool has from the system, as last looked at.
  page_totals statistics() const noexcept { return account_.totals(); }
  /// Looks at all pages again, then statistics(). A microsecond for ten pages.
  page_totals verify() noexcept;
  /// Gives the system what is not in use: whole chunks, and the memory of free slabs in others.
  void trim() noexcept;

  // For caches.

  /// An empty slab of the kind, now owned by \p cache. \throws std::bad_alloc
  slab& take_slab(slab_kind kind, cache_state& cache);
  /// An empty slab comes back from its owner.
  void give_slab(slab& s) noexcept;
  /// A cache state for a new user. \throws std::bad_alloc
  cache_state& adopt();
  /// The user of the state has ended.
  void park(cache_state& cache) noexcept;
  page_account& account() noexcept { return account_; }

 private:
  friend void lock_pools() noexcept;
  friend void unlock_pools() noexcept;

  static constexpr unsigned max_shards = 16;
  /// A cache that threads without one share.
  struct alignas(line_bytes) shard {
    small_lock lock;
    cache_state* cache = nullptr;
  };
  struct chunk_list {
    chunk* first = nullptr;
    void push(chunk& c) noexcept;
    void remove(chunk& c) noexcept;
  };

  explicit node_pool(std::size_t node_os_id) noexcept;
  ~node_pool() = delete;
  void* allocate_in(shard& s, unsigned size_class);
  chunk& map_chunk(slab_kind kind);
  void unmap_chunk(chunk& c) noexcept;
  void reclaim() noexcept;

  const std::size_t node_os_id_;
  const unsigned shards_;
  page_account account_;
  node_memory_resource resource_{*this};
  small_lock lock_;                                 ///< guards what follows
  std::array<chunk_list, slab_kinds> with_room_{};  ///< chunks with a free slab
  std::array<chunk_list, slab_kinds> full_{};
  std::array<unsigned, slab_kinds> idle_chunks_{};  ///< among with_room_: those wholly free
  cache_state* parked_ = nullptr;
  std::array<shard, max_shards> shard_{};  ///< each with its own lock
};

}  // namespace nearfork::detail
