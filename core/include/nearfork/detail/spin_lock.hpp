/// \file
/// A lock for a few instructions, held rarely.
#pragma once

#include <cstdint>
#include <nearfork/detail/atomic.hpp>

namespace nearfork::detail {

/// Gives the processor away when the holder may have lost its own (defined in core).
void yield_processor() noexcept;

/// Test-and-set lock. Not fair; meant for slow paths that hardly ever meet.
class spin_lock {
 public:
  bool try_lock() noexcept {
    // acquire: what the last holder did.
    return held_.load(std::memory_order_relaxed) == 0 &&
           held_.exchange(1, std::memory_order_acquire) == 0;
  }
  void lock() noexcept {
    for (int round = 0; held_.exchange(1, std::memory_order_acquire) != 0; ++round) {
      while (held_.load(std::memory_order_relaxed) != 0) {
        spin_pause();
        if (++round >= 64) yield_processor();
      }
    }
  }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  atomic<std::uint32_t> held_;
};

}  // namespace nearfork::detail
