/// \file
/// A lock of one word that waits in the kernel.
#pragma once

#include <atomic>

namespace nearfork::detail {

/// A mutex with what a fork handler needs and std::mutex lacks: it may be released by the child's
/// only thread although the parent's thread took it, and holding very many at once (fork takes all
/// of alloc's) does not overflow the lock tables of checking tools.
///
/// States: 0 free, 1 held, 2 held and somebody may be waiting. Invariant: a thread that sleeps has
/// set the word to 2 before, and whoever takes the lock after having slept sets 2 again, since
/// others may still be asleep; so the holder that finds 2 on release wakes one. Acquire on taking
/// and release on giving back order the protected data.
class small_lock {
 public:
  bool try_lock() noexcept {
    int expected = 0;
    return state_.compare_exchange_strong(expected, 1, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (try_lock()) return;
    while (state_.exchange(2, std::memory_order_acquire) != 0)
      state_.wait(2, std::memory_order_relaxed);
  }
  void unlock() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2) state_.notify_one();
  }

 private:
  std::atomic<int> state_{0};
};

}  // namespace nearfork::detail
