// How much memory 10^6 allocations of mixed sizes keep resident. Best run one at a time
// (--benchmark_filter), since a heap may keep what the benchmark before it used.
#include <algorithm>
#include <random>
#include <vector>

#include "heaps.hpp"

namespace {

using namespace nearfork::bench;

struct block {
  char* p = nullptr;
  std::size_t bytes = 0;
};

std::size_t mixed_size(std::mt19937& random) {
  const auto kind = random() % 100;
  if (kind < 70) return 16 + random() % 240;   // tasks and nodes
  if (kind < 95) return 16 + random() % 2000;  // objects
  return 16 + random() % 32'000;               // buffers
}

/// Twenty thousand blocks are alive at a time and replaced at random. Counters: bytes alive at the
/// end, by how much the process has grown then, and what is left of that after all was freed.
template <class Heap>
void resident(benchmark::State& state) {
  constexpr std::size_t allocations = 1'000'000;
  for (auto _ : state) {
    Heap heap;
    std::mt19937 random(1);
    std::vector<block> alive(20'000);
    const double before = resident_bytes();
    for (std::size_t i = 0; i < allocations; ++i) {
      block& b = alive[random() % alive.size()];
      if (b.p != nullptr) heap.deallocate(b.p, b.bytes);
      b.bytes = mixed_size(random);
      b.p = static_cast<char*>(heap.allocate(b.bytes));
      for (std::size_t at = 0; at < b.bytes; at += 1024) b.p[at] = 1;
    }
    const double grown = resident_bytes() - before;
    double wanted = 0;
    for (const block& b : alive) wanted += static_cast<double>(b.bytes);
    for (const block& b : alive)
      if (b.p != nullptr) heap.deallocate(b.p, b.bytes);
    state.counters["alive_MiB"] = wanted / (1 << 20);
    state.counters["resident_MiB"] = grown / (1 << 20);
    state.counters["after_MiB"] = (resident_bytes() - before) / (1 << 20);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(allocations));
}

const int registered = for_each_heap([]<class Heap> {
  benchmark::RegisterBenchmark(("resident/" + Heap::name()).c_str(), resident<Heap>)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
});

}  // namespace
