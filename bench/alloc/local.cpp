// One thread allocates and frees.
#include <algorithm>
#include <random>
#include <vector>

#include "heaps.hpp"

namespace {

using namespace nearfork::bench;

/// A block taken and given back at once: a task that is not stolen.
template <class Heap>
void one(benchmark::State& state) {
  Heap heap;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* p = heap.allocate(bytes);
    benchmark::DoNotOptimize(p);
    heap.deallocate(p, bytes);
  }
  state.SetItemsProcessed(state.iterations());
}

/// A thousand blocks taken, then given back in random order; time is per block.
template <class Heap>
void thousand(benchmark::State& state) {
  Heap heap;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<void*> blocks(1000);
  std::vector<std::size_t> order(blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(blocks.size()))) {
    for (auto& p : blocks) {
      p = heap.allocate(bytes);
      *static_cast<char*>(p) = 1;
    }
    for (const std::size_t i : order) heap.deallocate(blocks[i], bytes);
  }
  state.SetItemsProcessed(state.iterations());
}

const int registered = for_each_heap([]<class Heap> {
  for (const int bytes : {64, 256, 1024})
    benchmark::RegisterBenchmark(("one/" + Heap::name()).c_str(), one<Heap>)->Arg(bytes);
  for (const int bytes : {64, 256, 1024, 16384})
    benchmark::RegisterBenchmark(("thousand/" + Heap::name()).c_str(), thousand<Heap>)->Arg(bytes);
});

}  // namespace
