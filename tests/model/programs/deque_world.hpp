/// @file
/// The state of programs on the shipped deque: items, what became of them, and buffers of the
/// explored memory that are retired through the shipped epochs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nearfork/detail/deque.hpp>
#include <nearfork/detail/epoch.hpp>
#include <utility>
#include <vector>

#include "nearfork_model/program.hpp"

namespace nearfork::model::programs {

/// A task: what its maker wrote must be visible to whoever takes it.
struct item {
  detail::plain<int> payload;
};

inline constexpr unsigned max_items = 6;
inline constexpr unsigned max_readers = 2;

/// The clock, and the records of the thieves.
struct epochs {
  detail::epoch_clock clock;
  std::array<detail::epoch_record, max_readers> readers{detail::epoch_record(clock),
                                                        detail::epoch_record(clock)};
};

/// The deque's Memory: retires as core/epoch/limbo.cpp does, with room for a few buffers.
class buffer_source {
 public:
  explicit buffer_source(epochs& e) noexcept : epochs_(&e) {}

  detail::deque_buffer<item>* allocate(std::int64_t capacity) {
    if (allowed_ == 0) return nullptr;
    --allowed_;
    auto* const b = new detail::deque_buffer<item>;
    b->capacity = capacity;
    b->slots = new detail::atomic<item*>[static_cast<std::size_t>(capacity) + 1] + 1;
    return b;
  }
  void retire(detail::deque_buffer<item>* b) {
    detail::fence_seq_cst();
    const std::uint64_t time = epochs_->clock.advance();
    require(count_ < retired_.size(), "more retired buffers than the program has room for");
    retired_[count_++] = {b, time};
    reclaim();
  }
  void reclaim() {
    detail::fence_seq_cst();
    for (std::size_t i = 0; i < count_;) {
      bool held = false;
      for (const detail::epoch_record& r : epochs_->readers)
        held = held || r.may_read(retired_[i].time);
      if (held) {
        ++i;
        continue;
      }
      release(retired_[i].buffer);
      retired_[i] = retired_[--count_];
    }
  }
  static void release(detail::deque_buffer<item>* b) {
    delete[] (b->slots - 1);
    delete b;
  }
  /// From now on `n` allocations succeed.
  void allow(unsigned n) noexcept { allowed_ = n; }
  std::size_t waiting() const noexcept { return count_; }

 private:
  struct entry {
    detail::deque_buffer<item>* buffer;
    std::uint64_t time;
  };
  epochs* epochs_;
  unsigned allowed_ = 1000;
  std::size_t count_ = 0;
  std::array<entry, 4> retired_{};
};

using owner_side = detail::deque_owner<item, buffer_source>;
using thief_side = detail::deque_thief<item, buffer_source>;

template <int capacity, bool asymmetric>
struct deque_world {
  epochs clocks;
  owner_side deque{capacity, asymmetric, clocks};
  std::array<item, max_items> items;
  // How often each thread took each item: one row a thread, so that no order is recorded.
  std::array<std::array<std::uint8_t, max_items>, 4> taken{};
  std::array<std::uint8_t, max_items> pushed{};

  /// Owner: makes item i and pushes it.
  void push(unsigned i) {
    items[i].payload.set(static_cast<int>(i) + 1);
    pushed[i] = 1;
    if (deque.push(&items[i]) == owner_side::push_result::no_memory) got(&items[i]);
  }
  void pop() {
    if (item* const t = deque.pop()) got(t);
  }
  /// As join() takes back: the newest if it is still this one, else whatever there is.
  void pop_expected(unsigned i) {
    if (deque.pop_expected(&items[i])) {
      got(&items[i]);
    } else {
      pop();
    }
  }
  /// Thief number r steals once.
  void steal(unsigned r) {
    item* t = nullptr;
    if (deque.thief().steal(t, clocks.readers[r]) == detail::steal_result::task) got(t);
  }
  void request() { deque.thief().request(); }
  void revoke() { deque.thief().revoke(); }

  void got(item* t) {
    const auto i = static_cast<std::size_t>(t - items.data());
    require(i < max_items, "taken: not an item");
    require(t->payload.get() == static_cast<int>(i) + 1, "taken: the item is not ready");
    ++taken[this_thread()][i];
  }
  /// Main, at the end: every item pushed was taken once or is still there.
  void check() {
    while (item* const t = deque.pop()) got(t);
    for (unsigned i = 0; i < max_items; ++i) {
      unsigned times = 0;
      for (const auto& row : taken) times += row[i];
      require(times <= pushed[i], "an item was taken twice");
      require(times >= pushed[i], "an item was lost");
    }
    deque.memory().reclaim();
    require(deque.memory().waiting() == 0, "a retired buffer is never freed");
  }
};

}  // namespace nearfork::model::programs
