// What caches and pools do for each other.
#pragma once

#include <cstddef>
#include <nearfork/detail/slab.hpp>

namespace nearfork::detail {

/// Bytes at the start of a chunk that its headers take.
constexpr std::size_t headers_bytes(slab_kind kind) noexcept {
  return sizeof(chunk) - (max_slabs - slabs_in_chunk(kind)) * sizeof(slab);
}

/// Takes in what others freed. By the cache's owner.
void collect(cache_state& cache) noexcept;
/// collect(), and gives back every slab without blocks in use. By the cache's owner.
void settle(cache_state& cache) noexcept;

/// Brings what is known of the slab's pages up to date, in its owner's account too.
/// By the owner, or under the pool's lock.
void look_at_slab(slab& s) noexcept;

}  // namespace nearfork::detail
