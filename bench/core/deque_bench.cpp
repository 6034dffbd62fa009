// What the deque's operations cost: owner alone, a thief on the other core, one locked queue for
// comparison.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nearfork/detail/deque.hpp>
#include <nearfork/detail/epoch.hpp>
#include <thread>
#include <vector>

#include "sleep/futex.hpp"

namespace {

using namespace nearfork::detail;

struct item {
  int value = 0;
};

/// Buffers from the heap, kept until the end.
class heap_memory {
 public:
  deque_buffer<item>* allocate(std::int64_t capacity) {
    auto a = std::make_unique<allocation>(static_cast<std::size_t>(capacity) + 1);
    a->buffer.capacity = capacity;
    a->buffer.slots = a->slots.data() + 1;
    all_.push_back(std::move(a));
    return &all_.back()->buffer;
  }
  void retire(deque_buffer<item>*) noexcept {}
  void release(deque_buffer<item>*) noexcept {}

 private:
  struct allocation {
    explicit allocation(std::size_t n) : slots(n) {}
    deque_buffer<item> buffer;
    std::vector<atomic<item*>> slots;
  };
  std::vector<std::unique_ptr<allocation>> all_;
};

using owner = deque_owner<item, heap_memory>;

/// A std::deque under one mutex: the baseline.
class locked_queue {
 public:
  void push(item* i) {
    const std::lock_guard lock(mutex_);
    items_.push_back(i);
  }
  item* pop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return nullptr;
    item* const i = items_.back();
    items_.pop_back();
    return i;
  }
  item* steal() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return nullptr;
    item* const i = items_.front();
    items_.pop_front();
    return i;
  }

 private:
  std::mutex mutex_;
  std::deque<item*> items_;
};

void push_pop(benchmark::State& state) {
  owner d(1024, heavy_barrier_available());
  item i;
  for (auto _ : state) {
    d.push(&i);
    benchmark::DoNotOptimize(d.pop());
  }
}
BENCHMARK(push_pop);

void push_pop_expected(benchmark::State& state) {
  owner d(1024, heavy_barrier_available());
  item i;
  for (auto _ : state) {
    d.push(&i);
    benchmark::DoNotOptimize(d.pop_expected(&i));
  }
}
BENCHMARK(push_pop_expected);

void push_pop_everything_public(benchmark::State& state) {
  owner d(1024, false);
  item i;
  for (auto _ : state) {
    d.push(&i);
    benchmark::DoNotOptimize(d.pop());
  }
}
BENCHMARK(push_pop_everything_public);

void push_pop_locked_queue(benchmark::State& state) {
  locked_queue q;
  item i;
  for (auto _ : state) {
    q.push(&i);
    benchmark::DoNotOptimize(q.pop());
  }
}
BENCHMARK(push_pop_locked_queue);

void push_256_pop_256(benchmark::State& state) {
  owner d(1024, heavy_barrier_available());
  item i;
  for (auto _ : state) {
    for (int k = 0; k < 256; ++k) d.push(&i);
    for (int k = 0; k < 256; ++k) benchmark::DoNotOptimize(d.pop());
  }
  state.SetItemsProcessed(state.iterations() * 256);
}
BENCHMARK(push_256_pop_256);

void growth_from_2_to_2048(benchmark::State& state) {
  item i;
  for (auto _ : state) {
    owner d(2, heavy_barrier_available());
    for (int k = 0; k < 2047; ++k) d.push(&i);
    benchmark::DoNotOptimize(d.growths());
  }
  state.SetItemsProcessed(state.iterations() * 2047);
}
BENCHMARK(growth_from_2_to_2048);

void steal_uncontended(benchmark::State& state) {
  owner d(1024, heavy_barrier_available());
  epoch_clock clock;
  epoch_record record(clock);
  auto thief = d.thief();
  item i;
  item* got = nullptr;
  for (auto _ : state) {
    state.PauseTiming();
    for (int k = 0; k < 512; ++k) d.push(&i);
    d.publish_all();
    state.ResumeTiming();
    for (int k = 0; k < 512; ++k) benchmark::DoNotOptimize(thief.steal(got, record));
  }
  state.SetItemsProcessed(state.iterations() * 512);
}
BENCHMARK(steal_uncontended);

/// One owner pushes and publishes on its core, this thread steals on the other: time per stolen
/// task, transfers of cache lines included.
template <class Steal>
void steal_between_cores(benchmark::State& state, owner& d, Steal steal) {
  std::atomic<bool> stop{false};
  item i;
  std::thread other([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      // Always pushing or popping, so that the thief's request meets a push soon.
      if (d.size() < 512) {
        d.push(&i);
      } else {
        d.pop();
      }
    }
  });
  std::uint64_t stolen = 0;
  for (auto _ : state) stolen += steal() ? 1 : 0;
  stop.store(true);
  other.join();
  state.counters["seconds_per_steal"] = benchmark::Counter(
      static_cast<double>(stolen), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void public_steal_between_cores(benchmark::State& state) {
  owner d(1024, heavy_barrier_available());
  epoch_clock clock;
  epoch_record record(clock);
  auto thief = d.thief();
  item* got = nullptr;
  steal_between_cores(state, d, [&] {
    if (thief.looks_empty()) {
      thief.request();
      return false;
    }
    return thief.steal(got, record) == steal_result::task;
  });
}
BENCHMARK(public_steal_between_cores)->UseRealTime();

void revocation(benchmark::State& state) {
  if (!heavy_barrier_available()) {
    state.SkipWithError("this kernel has no membarrier");
    return;
  }
  owner d(1024, true);
  auto thief = d.thief();
  item i;
  for (auto _ : state) {
    state.PauseTiming();
    while (d.pop() != nullptr) {
    }
    for (int k = 0; k < 8; ++k) d.push(&i);
    state.ResumeTiming();
    benchmark::DoNotOptimize(thief.revoke());
  }
}
BENCHMARK(revocation);

}  // namespace
