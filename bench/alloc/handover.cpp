// One thread allocates, another frees: a task that is stolen, a message that is passed on.
#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "heaps.hpp"

namespace {

using namespace nearfork::bench;

/// Blocks on their way from one thread to another; neither waits but when it is full or empty.
class ring {
 public:
  bool put(void* p) {
    const auto at = head_.load(std::memory_order_relaxed);
    if (at - tail_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[at % slots_.size()] = p;
    head_.store(at + 1, std::memory_order_release);
    return true;
  }
  bool take(void*& p) {
    const auto at = tail_.load(std::memory_order_relaxed);
    if (at == head_.load(std::memory_order_acquire)) return false;
    p = slots_[at % slots_.size()];
    tail_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<void*, 1024> slots_{};
  alignas(128) std::atomic<std::size_t> head_{0};
  alignas(128) std::atomic<std::size_t> tail_{0};
};

template <class Heap>
void handover(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  auto between = std::make_unique<ring>();
  std::atomic<bool> done{false};
  std::thread consumer([&] {
    Heap heap;
    void* p = nullptr;
    for (;;) {
      const bool last = done.load(std::memory_order_acquire);
      while (between->take(p)) heap.deallocate(p, bytes);
      if (last) return;
      std::this_thread::yield();
    }
  });
  {
    Heap heap;
    for (auto _ : state) {
      void* p = heap.allocate(bytes);
      *static_cast<char*>(p) = 1;
      while (!between->put(p)) std::this_thread::yield();
    }
    done.store(true, std::memory_order_release);
    consumer.join();
  }
  state.SetItemsProcessed(state.iterations());
}

const int registered = for_each_heap([]<class Heap> {
  for (const int bytes : {64, 1024})
    benchmark::RegisterBenchmark(("handover/" + Heap::name()).c_str(), handover<Heap>)
        ->Arg(bytes)
        ->UseRealTime();
});

}  // namespace
