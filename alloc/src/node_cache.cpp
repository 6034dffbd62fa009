#include <algorithm>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>

#include "cache_upkeep.hpp"
#include "fork.hpp"

namespace nearfork::detail {

namespace {

// Blocks are made this many bytes at a time, so that memory is touched about as it is used.
constexpr std::size_t carve_bytes = 4096;
// Empty slabs a cache keeps, by kind.
constexpr std::array<unsigned, slab_kinds> kept_empties{4, 1};

/// Stands where a class has no slab yet: it has no free block, so nothing ever writes to it.
constinit slab no_slab{};

constexpr unsigned index(slab_kind kind) { return static_cast<unsigned>(kind); }

void append(slab_queue& queue, slab& s) {
  s.next = nullptr;
  s.prev = queue.last;
  (queue.last != nullptr ? queue.last->next : queue.first) = &s;
  queue.last = &s;
}

void remove(slab_queue& queue, slab& s) {
  (s.prev != nullptr ? s.prev->next : queue.first) = s.next;
  (s.next != nullptr ? s.next->prev : queue.last) = s.prev;
}

/// Makes an empty slab one of the class.
void format(slab& s, unsigned size_class) {
  const slab_kind kind = kind_of(size_class);
  auto* start = reinterpret_cast<char*>(s.home);
  const auto number = static_cast<std::size_t>(&s - s.home->slabs);
  // The first slab begins after the headers, as far in as its blocks' alignment wants.
  const std::size_t alignment = class_alignment(size_class);
  const std::size_t from = number != 0 ? number << slab_shift(kind)
                                       : (headers_bytes(kind) + alignment - 1) & ~(alignment - 1);
  const std::size_t to = (number + 1) << slab_shift(kind);
  const std::size_t bytes = class_bytes(size_class);
  s.size_class = size_class;
  s.block_bytes = static_cast<std::uint32_t>(bytes);
  s.capacity = static_cast<std::uint32_t>((to - from) / bytes);
  s.free = nullptr;
  s.used = 0;
  s.bump = start + from;
  s.end = s.bump + s.capacity * bytes;
  poison(s.bump, to - from);
}

free_block* make_block(char* at, free_block* next) {
  unpoison(at, sizeof(free_block));
  return ::new (at) free_block{next};
}

/// Makes blocks out of memory that was not used yet. \pre bump < end, no free block
void carve(slab& s) {
  const auto left = static_cast<std::size_t>(s.end - s.bump) / s.block_bytes;
  const auto n = std::clamp<std::size_t>(carve_bytes / s.block_bytes, 1, left);
  // Linked in the order of addresses, which prefetchers like.
  char* last = s.bump + n * s.block_bytes;
  for (char* at = last; at != s.bump;) {
    at -= s.block_bytes;
    s.free = make_block(at, s.free);
  }
  s.bump = last;
  // All of it was written to by now (of medium slabs: most), so the pages can be asked for.
  if (s.bump == s.end && !s.looked) {
    s.looked = true;
    look_at_slab(s);
  }
}

void drain(cache_state& cache) noexcept {
  for (free_block* block = cache.remote.take_all(); block != nullptr;) {
    free_block* next = block->next;
    keep_block(slab_of(block), block);
    block = next;
  }
}

/// A slab with room for the class: one that blocks came back to, one kept, or one from the pool.
slab& next_slab(cache_state& cache, unsigned size_class) {
  slab_queue& queue = cache.partial[size_class];
  if (queue.first != nullptr) {
    slab& s = *queue.first;
    remove(queue, s);
    return s;
  }
  const unsigned kind = index(kind_of(size_class));
  slab* s = cache.empty[kind];
  if (s != nullptr) {
    cache.empty[kind] = s->next;
    --cache.empties[kind];
    // One of this class before: its blocks are all there.
    if (s->size_class == size_class) return *s;
  } else {
    s = &cache.pool->take_slab(kind_of(size_class), cache);
  }
  format(*s, size_class);
  return *s;
}

}  // namespace

cache_state::cache_state(node_pool& p) noexcept : pool(&p) { current.fill(&no_slab); }

void* allocate_slow(cache_state& cache, unsigned size_class) {
  drain(cache);
  for (;;) {
    slab& s = *cache.current[size_class];
    if (s.free == nullptr && s.bump != s.end) carve(s);
    if (s.free != nullptr) return take_block(cache, size_class);
    // Full: every block is out, and the next one that comes back puts it into the queue.
    if (&s != &no_slab) s.trigger = s.capacity - 1;
    cache.current[size_class] = &no_slab;  // in case the next line throws
    slab& next = next_slab(cache, size_class);
    next.trigger = slab::never;
    cache.current[size_class] = &next;
  }
}

void freed_slow(slab& s) noexcept {
  cache_state& cache = *s.owner;
  slab_queue& queue = cache.partial[s.size_class];
  if (s.trigger != 0) {  // was full
    s.trigger = 0;
    append(queue, s);
    return;
  }
  remove(queue, s);
  const unsigned kind = index(s.home->kind);
  if (cache.empties[kind] < kept_empties[kind]) {
    s.next = cache.empty[kind];
    cache.empty[kind] = &s;
    ++cache.empties[kind];
  } else {
    cache.pool->give_slab(s);
  }
}

void collect(cache_state& cache) noexcept { drain(cache); }

void settle(cache_state& cache) noexcept {
  drain(cache);
  for (unsigned c = 0; c < size_classes; ++c) {
    slab& s = *cache.current[c];
    if (&s == &no_slab || s.used != 0) continue;
    cache.current[c] = &no_slab;
    cache.pool->give_slab(s);
  }
  for (unsigned kind = 0; kind < slab_kinds; ++kind) {
    while (cache.empty[kind] != nullptr) {
      slab& s = *cache.empty[kind];
      cache.empty[kind] = s.next;
      cache.pool->give_slab(s);
    }
    cache.empties[kind] = 0;
  }
}

node_cache::node_cache(std::size_t node_os_id)
    : state_(&node_pool::of(node_os_id).adopt()), generation_(process_generation()) {}

node_cache::~node_cache() {
  if (generation_ == process_generation()) state_->pool->park(*state_);
}

void node_cache::collect() noexcept { detail::collect(*state_); }

void node_cache::trim() noexcept { settle(*state_); }

std::size_t node_cache::node_os_id() const noexcept { return state_->pool->node_os_id(); }

}  // namespace nearfork::detail
