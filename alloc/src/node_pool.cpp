#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/detail/verify.hpp>
#include <thread>

#include "cache_upkeep.hpp"
#include "direct_blocks.hpp"
#include "fork.hpp"

namespace nearfork::detail {

namespace {

// Chunks without a block in use that a pool keeps, of each kind (16 MiB): enough for most jobs that
// free and take the same memory again and again not to go to the system each time.
constexpr unsigned kept_idle_chunks = 8;

constexpr unsigned index(slab_kind kind) { return static_cast<unsigned>(kind); }

constexpr std::uint32_t all_free(slab_kind kind) {
  return kind == slab_kind::small ? 0xffffffffU : (1U << slabs_in_chunk(kind)) - 1;
}
static_assert(slabs_in_chunk(slab_kind::small) == 32);

struct registry {
  small_lock lock;
  std::map<std::size_t, node_pool*> pools;
};

// Never destroyed: memory is freed until the process ends.
registry& pools() {
  static auto& r = *new registry;
  return r;
}

/// Moves what is known about a slab's pages into (+1) or out of (-1) its owner's account.
void count_for_owner(const slab& s, int sign) noexcept {
  const auto bytes = static_cast<std::int64_t>(slab_bytes(s.home->kind));
  const auto page = static_cast<std::int64_t>(page_bytes());
  page_account& account = s.owner->account;
  account.count_mapped(s.home->pages.bound, sign * bytes);
  account.count_seen(sign * page * s.on_node.load(std::memory_order_relaxed),
                     sign * page * s.elsewhere.load(std::memory_order_relaxed));
}

void set_seen(slab& s, quick_look seen) noexcept {
  const auto change = [](std::atomic<std::uint32_t>& count, std::size_t now) {
    const auto before = count.exchange(static_cast<std::uint32_t>(now), std::memory_order_relaxed);
    return (static_cast<std::int64_t>(now) - before) * static_cast<std::int64_t>(page_bytes());
  };
  const auto on_node = change(s.on_node, seen.on_node);
  const auto elsewhere = change(s.elsewhere, seen.elsewhere);
  s.home->pages.account->count_seen(on_node, elsewhere);
  if (s.owner != nullptr) s.owner->account.count_seen(on_node, elsewhere);
}

char* start_of(const slab& s) {
  const auto number = static_cast<std::size_t>(&s - s.home->slabs);
  return reinterpret_cast<char*>(s.home) + (number << slab_shift(s.home->kind));
}

}  // namespace

void look_at_slab(slab& s) noexcept {
  const page_block& pages = s.home->pages;
  if (pages.node_os_id == any_node) return;
  set_seen(s, look_at_pages(start_of(s), slab_bytes(s.home->kind), pages.node_os_id));
}

void node_pool::chunk_list::push(chunk& c) noexcept {
  c.prev = nullptr;
  c.next = first;
  if (first != nullptr) first->prev = &c;
  first = &c;
}

void node_pool::chunk_list::remove(chunk& c) noexcept {
  (c.prev != nullptr ? c.prev->next : first) = c.next;
  if (c.next != nullptr) c.next->prev = c.prev;
}

node_pool::node_pool(std::size_t node_os_id) noexcept
    : node_os_id_(node_os_id),
      shards_(std::clamp(std::thread::hardware_concurrency(), 1U, max_shards)),
      account_(&process_pages()) {}

node_pool& node_pool::of(std::size_t node_os_id) {
  watch_forks();
  const std::lock_guard guard(pools().lock);
  node_pool*& pool = pools().pools[node_os_id];
  if (pool == nullptr) pool = new node_pool(node_os_id);
  return *pool;
}

void* node_pool::allocate_in(shard& s, unsigned size_class) {
  const std::lock_guard guard(s.lock, std::adopt_lock);
  if (s.cache == nullptr) s.cache = &adopt();
  return take_block(*s.cache, size_class);
}

void* node_pool::allocate(std::size_t bytes, std::size_t alignment) {
  if (needs_pages(bytes, alignment)) return allocate_direct(*this, bytes, alignment);
  const unsigned c = size_class(bytes, alignment);
  // Threads on different CPUs seldom meet; one that does goes on to the next shard.
  const int cpu = sched_getcpu();
  const unsigned start = cpu > 0 ? static_cast<unsigned>(cpu) : 0;
  for (unsigned i = 0; i < shards_; ++i) {
    shard& s = shard_[(start + i) % shards_];
    if (s.lock.try_lock()) return allocate_in(s, c);
  }
  shard& s = shard_[start % shards_];
  s.lock.lock();
  return allocate_in(s, c);
}

chunk& node_pool::map_chunk(slab_kind kind) {
  page_options options;
  options.node_os_id = node_os_id_;
  options.alignment = chunk_bytes;
  options.account = &account_;
  const page_block pages = allocate_pages(chunk_bytes, options);
  auto* c = ::new (pages.data) chunk;
  c->pool = this;
  c->kind = kind;
  c->free_slabs = all_free(kind);
  c->pages = pages;
  for (unsigned i = 0; i < slabs_in_chunk(kind); ++i) c->slabs[i].home = c;
  return *c;
}

void node_pool::unmap_chunk(chunk& c) noexcept {
  for (unsigned i = 0; i < slabs_in_chunk(c.kind); ++i) set_seen(c.slabs[i], {});
  const page_block pages = c.pages;
  c.~chunk();
  free_pages(pages);
}

slab& node_pool::take_slab(slab_kind kind, cache_state& cache) {
  chunk_list& with_room = with_room_[index(kind)];
  std::unique_lock guard(lock_);
  if (with_room.first == nullptr) {
    // Before asking the system: what was freed to caches that nobody uses now.
    guard.unlock();
    reclaim();
    guard.lock();
  }
  if (with_room.first == nullptr) {
    with_room.push(map_chunk(kind));
    ++idle_chunks_[index(kind)];
  }
  chunk& c = *with_room.first;
  if (c.free_slabs == all_free(kind)) --idle_chunks_[index(kind)];
  slab& s = c.slabs[std::countr_zero(c.free_slabs)];
  c.free_slabs &= c.free_slabs - 1;
  if (c.free_slabs == 0) {
    with_room.remove(c);
    full_[index(kind)].push(c);
  }
  s.owner = &cache;
  count_for_owner(s, +1);
  return s;
}

void node_pool::give_slab(slab& s) noexcept {
  chunk& c = *s.home;
  const unsigned kind = index(c.kind);
  const std::lock_guard guard(lock_);
  count_for_owner(s, -1);
  s.owner = nullptr;
  if (c.free_slabs == 0) {
    full_[kind].remove(c);
    with_room_[kind].push(c);
  }
  c.free_slabs |= 1U << static_cast<unsigned>(&s - c.slabs);
  if (c.free_slabs != all_free(c.kind)) return;
  if (idle_chunks_[kind] < kept_idle_chunks) {
    ++idle_chunks_[kind];
  } else {
    with_room_[kind].remove(c);
    unmap_chunk(c);
  }
}

cache_state& node_pool::adopt() {
  {
    const std::lock_guard guard(lock_);
    if (parked_ != nullptr) {
      cache_state& cache = *parked_;
      parked_ = cache.next;
      return cache;
    }
  }
  page_options options;
  options.node_os_id = node_os_id_;
  options.account = &account_;
  return *::new (allocate_pages(sizeof(cache_state), options).data) cache_state(*this);
}

void node_pool::park(cache_state& cache) noexcept {
  settle(cache);
  const std::lock_guard guard(lock_);
  cache.next = parked_;
  parked_ = &cache;
}

void node_pool::reclaim() noexcept {
  // Parked states are taken out while they are worked on, as if adopted.
  cache_state* waiting = nullptr;
  {
    const std::lock_guard guard(lock_);
    for (cache_state** link = &parked_; *link != nullptr;) {
      cache_state* cache = *link;
      if (cache->remote.empty()) {
        link = &cache->next;
        continue;
      }
      *link = cache->next;
      cache->next = waiting;
      waiting = cache;
    }
  }
  while (waiting != nullptr) {
    cache_state* cache = waiting;
    waiting = cache->next;
    park(*cache);
  }
  for (shard& s : shard_) {
    // One that is in use looks after itself (it may also be the caller's own).
    if (!s.lock.try_lock()) continue;
    if (s.cache != nullptr) settle(*s.cache);
    s.lock.unlock();
  }
}

void node_pool::trim() noexcept {
  reclaim();
  const std::lock_guard guard(lock_);
  for (unsigned kind = 0; kind < slab_kinds; ++kind) {
    for (chunk* c = with_room_[kind].first; c != nullptr;) {
      chunk& now = *c;
      c = c->next;
      if (now.free_slabs == all_free(now.kind)) {
        with_room_[kind].remove(now);
        unmap_chunk(now);
        continue;
      }
      for (std::uint32_t rest = now.free_slabs; rest != 0; rest &= rest - 1) {
        slab& s = now.slabs[std::countr_zero(rest)];
        const std::size_t page = page_bytes();
        const std::size_t skip =
            &s == now.slabs ? (headers_bytes(now.kind) + page - 1) / page * page : 0;
        madvise(start_of(s) + skip, slab_bytes(now.kind) - skip, MADV_DONTNEED);
        set_seen(s, {});
        s.looked = false;
      }
    }
    idle_chunks_[kind] = 0;
  }
}

page_totals node_pool::verify() noexcept {
  if (node_os_id_ != any_node) {
    const std::lock_guard guard(lock_);
    for (unsigned kind = 0; kind < slab_kinds; ++kind)
      for (chunk* list : {with_room_[kind].first, full_[kind].first})
        for (chunk* c = list; c != nullptr; c = c->next)
          for (unsigned i = 0; i < slabs_in_chunk(c->kind); ++i) look_at_slab(c->slabs[i]);
  }
  look_at_direct_blocks(account_);
  return statistics();
}

void lock_pools() noexcept {
  registry& r = pools();
  r.lock.lock();
  for (const auto& [id, pool] : r.pools) {
    for (auto& s : pool->shard_) s.lock.lock();
    pool->lock_.lock();
  }
  direct_blocks_lock().lock();
}

void unlock_pools() noexcept {
  direct_blocks_lock().unlock();
  registry& r = pools();
  for (const auto& [id, pool] : r.pools) {
    pool->lock_.unlock();
    for (auto& s : pool->shard_) s.lock.unlock();
  }
  r.lock.unlock();
}

}  // namespace nearfork::detail
