/// \file
/// How pooled memory is cut up: chunks of slabs of blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/remote_list.hpp>
#include <nearfork/detail/size_classes.hpp>

namespace nearfork::detail {

struct cache_state;
struct chunk;
class node_pool;

/// Bytes that two neighbouring cache lines take: what one thread writes and another reads is kept
/// this far apart (processors fetch lines in pairs).
inline constexpr std::size_t line_bytes = 128;

/// A slab holds blocks of one class. Small blocks come in small slabs, so that many classes can be
/// in use on little memory; medium ones in slabs that still hold a few of them.
enum class slab_kind : unsigned { small, medium };
inline constexpr unsigned slab_kinds = 2;

constexpr slab_kind kind_of(unsigned size_class) noexcept {
  return size_class < first_medium ? slab_kind::small : slab_kind::medium;
}
constexpr unsigned slab_shift(slab_kind kind) noexcept {
  return kind == slab_kind::small ? 16 : 19;
}
constexpr std::size_t slab_bytes(slab_kind kind) noexcept {
  return std::size_t{1} << slab_shift(kind);
}

/// Chunks are aligned to their size, so that a block's address leads to its slab's header.
inline constexpr std::size_t chunk_bytes = std::size_t{2} << 20;
inline constexpr unsigned max_slabs = 32;
constexpr unsigned slabs_in_chunk(slab_kind kind) noexcept {
  return static_cast<unsigned>(chunk_bytes >> slab_shift(kind));
}

/// What is known about one slab. Headers lie together at the start of the chunk: at the start of
/// each slab they would all fall into the same few sets of the cache.
///
/// Who may touch it: the first part is written while the slab is empty, by the cache that takes it,
/// and read by whoever frees a block. No atomics are needed: the reader has the block from someone
/// who had it from the owner, after the write; and the next write waits until all blocks are back,
/// hence after every reader's push onto the owner's remote list. The second part is the owner's.
struct alignas(line_bytes) slab {
  /// A trigger that is never reached.
  static constexpr std::uint32_t never = 0xffffffff;

  cache_state* owner = nullptr;  ///< nullptr: with the pool (guarded by the pool's lock)
  chunk* home = nullptr;
  std::uint32_t block_bytes = 0;
  std::uint32_t capacity = 0;
  std::uint32_t size_class = 0;

  alignas(line_bytes) free_block* free = nullptr;  ///< blocks that are at home
  std::uint32_t used = 0;  ///< blocks that are out, counting those on the remote list
  /// The owner looks up when used falls to this: 0 in a slab with room (it is empty now),
  /// capacity - 1 in a full one (it has room now), never in the one being allocated from.
  std::uint32_t trigger = never;
  char* bump = nullptr;  ///< from here to end no block was made yet, and no memory touched
  char* end = nullptr;
  slab* next = nullptr;
  slab* prev = nullptr;
  bool looked = false;  ///< whether its pages were looked at since the chunk was mapped
  std::atomic<std::uint32_t> on_node{0};    ///< pages, at the last look
  std::atomic<std::uint32_t> elsewhere{0};  ///< pages, at the last look
};
static_assert(sizeof(slab) == 2 * line_bytes, "one block for all, one for the owner");

/// The start of a chunk. Guarded by the pool's lock but for what never changes.
struct chunk {
  node_pool* pool = nullptr;
  slab_kind kind = slab_kind::small;
  std::uint32_t free_slabs = 0;  ///< a bit for each slab that is with the pool
  page_block pages;
  chunk* next = nullptr;
  chunk* prev = nullptr;
  slab slabs[max_slabs];  ///< as many as the kind has
};

inline chunk& chunk_of(const void* p) noexcept {
  return *reinterpret_cast<chunk*>(reinterpret_cast<std::uintptr_t>(p) & ~(chunk_bytes - 1));
}
/// The slab of a block, when the kind is known (from the size).
inline slab& slab_of(const void* p, slab_kind kind) noexcept {
  const auto offset = reinterpret_cast<std::uintptr_t>(p) & (chunk_bytes - 1);
  return chunk_of(p).slabs[offset >> slab_shift(kind)];
}
inline slab& slab_of(const void* p) noexcept { return slab_of(p, chunk_of(p).kind); }

}  // namespace nearfork::detail
