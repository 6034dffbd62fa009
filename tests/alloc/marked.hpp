// Blocks that notice when they are handed out twice, freed twice or written to while free.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nearfork::alloc_tests {

/// A marker in the block's second word (the first is the allocator's while the block is free).
inline constexpr std::uint64_t live = 0x11feb10c11feb10c;
inline constexpr std::uint64_t dead = 0xdeadb10cdeadb10c;

/// Marks a block that was just allocated and fills it. \pre bytes >= 16
inline void mark(void* p, std::size_t bytes, unsigned char pattern) {
  auto& marker = *reinterpret_cast<std::uint64_t*>(static_cast<char*>(p) + 8);
  const auto before = std::atomic_ref(marker).exchange(live, std::memory_order_relaxed);
  ASSERT_NE(before, live) << "this block is in use";
  std::memset(static_cast<char*>(p), pattern, 8);
  std::memset(static_cast<char*>(p) + 16, pattern, bytes - 16);
}

/// Checks that nobody wrote to the block since it was marked, and marks it as about to be freed.
inline void unmark(void* p, std::size_t bytes, unsigned char pattern) {
  const auto* c = static_cast<const unsigned char*>(p);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i >= 8 && i < 16) continue;
    ASSERT_EQ(c[i], pattern) << "byte " << i << " of " << bytes << " was overwritten";
  }
  auto& marker = *reinterpret_cast<std::uint64_t*>(static_cast<char*>(p) + 8);
  const auto before = std::atomic_ref(marker).exchange(dead, std::memory_order_relaxed);
  ASSERT_EQ(before, live) << "this block is not in use";
  std::memset(static_cast<char*>(p) + 16, 0xDD, bytes - 16);
}

}  // namespace nearfork::alloc_tests
