// A deque whose buffers are really freed, and poisoned first: a thief that read one too late
// would find 0xDD.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <nearfork/detail/deque.hpp>
#include <nearfork/detail/epoch.hpp>
#include <new>
#include <vector>

namespace nearfork::support {

struct item {
  std::atomic<int> taken{0};
};

/// Readers and retired buffers of one deque under test.
struct reclaimer {
  detail::epoch_clock clock;
  std::vector<const detail::epoch_record*> readers;
};

/// The Memory of the deques under test.
class poisoning_memory {
 public:
  using buffer = detail::deque_buffer<item>;

  explicit poisoning_memory(reclaimer& r) : reclaimer_(&r) {}
  poisoning_memory(const poisoning_memory&) = delete;
  poisoning_memory& operator=(const poisoning_memory&) = delete;
  ~poisoning_memory() {
    for (const entry& e : retired_) destroy(e.what);
  }

  buffer* allocate(std::int64_t capacity) {
    if (allocations_++ >= fail_from) return nullptr;
    const auto n = static_cast<std::size_t>(capacity) + 1;
    auto* const slots = new detail::atomic<item*>[n];
    auto* const b = new buffer;
    b->capacity = capacity;
    b->slots = slots + 1;
    ++alive;
    return b;
  }
  void retire(buffer* b) {
    detail::fence_seq_cst();
    retired_.push_back({b, reclaimer_->clock.advance()});
    collect();
  }
  void release(buffer* b) { destroy(b); }

  void collect() {
    detail::fence_seq_cst();
    std::erase_if(retired_, [this](const entry& e) {
      for (const auto* r : reclaimer_->readers) {
        if (r->may_read(e.time)) return false;
      }
      destroy(e.what);
      return true;
    });
  }
  std::size_t waiting() const { return retired_.size(); }

  std::size_t fail_from = std::numeric_limits<std::size_t>::max();  ///< allocations from here fail
  std::size_t freed = 0;
  static inline std::atomic<long> alive{0};

 private:
  struct entry {
    buffer* what;
    std::uint64_t time;
  };
  void destroy(buffer* b) {
    detail::atomic<item*>* const slots = b->slots - 1;
    for (std::int64_t i = 0; i <= b->capacity; ++i) {
      slots[i].store(reinterpret_cast<item*>(std::uintptr_t{0xDDDDDDDDDDDDDDD0}),
                     std::memory_order_relaxed);
    }
    delete[] slots;
    delete b;
    ++freed;
    --alive;
  }

  reclaimer* reclaimer_;
  std::vector<entry> retired_;
  std::size_t allocations_ = 0;
};

using owner = detail::deque_owner<item, poisoning_memory>;
using thief = detail::deque_thief<item, poisoning_memory>;

}  // namespace nearfork::support
