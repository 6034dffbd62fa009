/// @file
/// The memory that explored programs live in: an arena and a stack for each thread, at addresses
/// that do not depend on the schedule. All of it that is in use can be copied and put back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fiber.hpp"
#include "mix.hpp"
#include "views.hpp"

namespace nearfork::model {

class region {
 public:
  static constexpr std::size_t arena_bytes = std::size_t{1} << 17;
  static constexpr std::size_t stack_bytes = std::size_t{1} << 16;
  static constexpr std::size_t total_bytes = max_threads * (arena_bytes + stack_bytes);

  region();
  ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  /// Everything unused and zero.
  void clear() noexcept;

  bool contains(const void* p) const noexcept {
    const auto* b = static_cast<const std::byte*>(p);
    return b >= base_ && b < base_ + total_bytes;
  }
  /// The number of the 8-byte word at `p`.
  std::size_t word(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_) / 8;
  }
  static constexpr std::size_t words() noexcept { return total_bytes / 8; }
  /// For people: "arena 1 + 64".
  struct place {
    bool stack;
    unsigned thread;
    std::size_t offset;
  };
  place describe(const void* p) const noexcept;

  std::byte* stack(unsigned thread) const noexcept {
    return base_ + max_threads * arena_bytes + thread * stack_bytes;
  }

  /// Memory of the thread's arena, never handed out twice in an execution: a stale pointer never
  /// points to something new. nullptr when the arena is full.
  void* allocate(unsigned thread, std::size_t bytes, std::size_t alignment) noexcept;
  /// The size of the block, and whether it is live.
  struct block {
    std::size_t bytes;
    bool live;
  };
  block block_at(const void* p) const noexcept;
  /// Marks the block as freed and overwrites it.
  void release(void* p) noexcept;

  /// Copies of all memory in use.
  void save(std::vector<std::byte>& out, const std::array<fiber_context, max_threads>& fibers,
            unsigned threads) const;
  void restore(const std::vector<std::byte>& in,
               const std::array<fiber_context, max_threads>& fibers, unsigned threads) noexcept;

  /// Adds the arenas' contents.
  void hash_arenas(hash128& h, unsigned threads) const noexcept;

 private:
  struct header {
    std::uint64_t bytes;
    std::uint64_t live;
  };
  std::byte* arena(unsigned thread) const noexcept { return base_ + thread * arena_bytes; }

  std::byte* base_ = nullptr;
  std::array<std::uint32_t, max_threads> used_{};
};

}  // namespace nearfork::model
