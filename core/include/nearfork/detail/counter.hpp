/// \file
/// Counters that one thread writes at no cost and any thread may read.
#pragma once

#include <cstdint>
#include <nearfork/detail/atomic.hpp>

namespace nearfork::detail {

/// A statistic of one worker. add() by the owner alone; get() from anywhere, a little stale.
class counter {
 public:
  void add(std::uint64_t n = 1) noexcept {
#if defined(NEARFORK_MODEL)
    value_ += n;  // no protocol looks at it: not worth a step of the exploration
#elif defined(__x86_64__) && !defined(NEARFORK_DETAIL_TSAN)
    // One instruction; compilers make three of a relaxed load, an addition and a store. Aligned
    // eight bytes are written whole, so a reader never sees half a number.
    __asm__("addq %1, %0" : "+m"(value_) : "er"(n) : "cc");
#else
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
#endif
  }
#if defined(NEARFORK_MODEL)
  std::uint64_t get() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
#else
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  atomic<std::uint64_t> value_;
#endif
};

}  // namespace nearfork::detail
