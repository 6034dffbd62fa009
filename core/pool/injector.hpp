/// \file
/// A queue of tasks from outside, one per memory node.
#pragma once

#include <cstddef>
#include <mutex>
#include <nearfork/detail/atomic.hpp>
#include <nearfork/detail/spin_lock.hpp>
#include <nearfork/detail/task.hpp>

namespace nearfork::detail {

/// First in, first out. Thread-safe. A lock is enough here: workers look at the count first, and
/// take one task at a time only every now and then.
class injector {
 public:
  void push(injected_task* t) noexcept {
    t->next = nullptr;
    const std::lock_guard lock(mutex_);
    if (last_ == nullptr) {
      first_ = t;
    } else {
      last_->next = t;
    }
    last_ = t;
    // relaxed: the waking side stands a fence later, the looking side takes the lock.
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// The oldest task, or null.
  injected_task* pop() noexcept {
    if (size() == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    injected_task* const t = first_;
    if (t == nullptr) return nullptr;
    first_ = t->next;
    if (first_ == nullptr) last_ = nullptr;
    size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return t;
  }

  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  alignas(cache_line) atomic<std::size_t> size_;
  spin_lock mutex_;
  injected_task* first_ = nullptr;
  injected_task* last_ = nullptr;
};

}  // namespace nearfork::detail
