/// @file
/// The state of programs on the shipped deque: items, what became of them, and buffers of the
/// explored memory that are retired through the shipped epochs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nearfork/detail/buffer_memory.hpp>
#include <nearfork/detail/deque.hpp>
#include <utility>
#include <vector>

#include "epoch/limbo.hpp"
#include "nearfork_model/program.hpp"

namespace nearfork::model::programs {

/// A task: what its maker wrote must be visible to whoever takes it.
struct item : detail::injected_task {
  item() : injected_task(nullptr) {}
  detail::plain<int> payload;
};

inline constexpr unsigned max_items = 6;

/// The shipped list of retired buffers, and the records of the thieves.
template <unsigned readers>
struct epochs {
  detail::limbo limbo;
  std::array<detail::epoch_record, readers> records = make(std::make_index_sequence<readers>());

  epochs() {
    std::vector<const detail::epoch_record*> all;
    for (const auto& r : records) all.push_back(&r);
    limbo.set_readers(std::move(all));
  }

 private:
  template <std::size_t... i>
  std::array<detail::epoch_record, readers> make(std::index_sequence<i...>) {
    return {((void)i, detail::epoch_record(limbo.clock()))...};
  }
};

/// The deque's Memory: buffers of the explored memory, and as many as the program allows.
class buffer_source {
 public:
  explicit buffer_source(detail::limbo& retired) noexcept : limbo_(&retired) {}

  detail::deque_buffer<detail::task>* allocate(std::int64_t capacity) {
    if (allowed_ == 0) return nullptr;
    --allowed_;
    auto* const b = new detail::deque_buffer<detail::task>;
    b->capacity = capacity;
    b->slots = new detail::atomic<detail::task*>[static_cast<std::size_t>(capacity) + 1] + 1;
    return b;
  }
  void retire(detail::deque_buffer<detail::task>* b) { limbo_->retire(b); }
  static void release(detail::deque_buffer<detail::task>* b) { detail::buffer_memory::release(b); }
  /// From now on `n` allocations succeed.
  void allow(unsigned n) noexcept { allowed_ = n; }

 private:
  detail::limbo* limbo_;
  unsigned allowed_ = 1000;
};

using owner_side = detail::deque_owner<detail::task, buffer_source>;
using thief_side = detail::deque_thief<detail::task, buffer_source>;

template <int capacity, bool asymmetric>
struct deque_world {
  epochs<2> clocks;
  owner_side deque{capacity, asymmetric, clocks.limbo};
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
    if (detail::task* const t = deque.pop()) got(t);
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
    detail::task* t = nullptr;
    if (deque.thief().steal(t, clocks.records[r]) == detail::steal_result::task) got(t);
  }
  void request() { deque.thief().request(); }
  void revoke() { deque.thief().revoke(); }

  void got(detail::task* taken_task) {
    auto* const t = static_cast<item*>(taken_task);
    const auto i = static_cast<std::size_t>(t - items.data());
    require(i < max_items, "taken: not an item");
    require(t->payload.get() == static_cast<int>(i) + 1, "taken: the item is not ready");
    ++taken[this_thread()][i];
  }
  /// Main, at the end: every item pushed was taken once or is still there.
  void check() {
    while (detail::task* const t = deque.pop()) got(t);
    for (unsigned i = 0; i < max_items; ++i) {
      unsigned times = 0;
      for (const auto& row : taken) times += row[i];
      require(times <= pushed[i], "an item was taken twice");
      require(times >= pushed[i], "an item was lost");
    }
    clocks.limbo.reclaim();
    require(clocks.limbo.bytes() == 0, "a retired buffer is never freed");
  }
};

}  // namespace nearfork::model::programs
