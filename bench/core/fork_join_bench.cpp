// What the engine's constructs cost: fork-join, groups, injectors, regions; and the same work on
// one locked queue and split statically, as baselines.
#include <benchmark/benchmark.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <nearfork/nearfork.hpp>
#include <thread>
#include <vector>

namespace {

nearfork::pool_options with_workers(benchmark::State& state) {
  nearfork::pool_options o;
  o.workers = static_cast<std::size_t>(state.range(0));
  return o;
}

long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

long join_fib(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      nearfork::join([n] { return join_fib(n - 1); }, [n] { return join_fib(n - 2); });
  return a + b;
}

long context_fib(nearfork::context& c, int n) {
  if (n < 2) return n;
  const auto [a, b] = nearfork::join(
      c, [n](nearfork::context& i) { return context_fib(i, n - 1); },
      [n](nearfork::context& i) { return context_fib(i, n - 2); });
  return a + b;
}

constexpr int fib_n = 27;
constexpr std::int64_t fib_calls = 832'039;  // calls of fib(27)

void fib_serial(benchmark::State& state) {
  for (auto _ : state) {
    int n = fib_n;
    benchmark::DoNotOptimize(n);
    benchmark::DoNotOptimize(serial_fib(n));
  }
  state.SetItemsProcessed(state.iterations() * fib_calls);
}
BENCHMARK(fib_serial)->UseRealTime();

void fib_join(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  for (auto _ : state) benchmark::DoNotOptimize(p.run([] { return join_fib(fib_n); }));
  state.SetItemsProcessed(state.iterations() * fib_calls);
}
BENCHMARK(fib_join)->Arg(1)->Arg(2)->UseRealTime();

void fib_context(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  for (auto _ : state) {
    benchmark::DoNotOptimize(p.run([](nearfork::context& c) { return context_fib(c, fib_n); }));
  }
  state.SetItemsProcessed(state.iterations() * fib_calls);
}
BENCHMARK(fib_context)->Arg(1)->Arg(2)->UseRealTime();

void group_of_1000_empty_tasks(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  p.run([&] {
    for (auto _ : state) {
      nearfork::task_group g;
      for (int i = 0; i < 1000; ++i) g.run([] {});
      g.wait();
    }
  });
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(group_of_1000_empty_tasks)->Arg(1)->Arg(2)->UseRealTime();

long skynet(long first, long size) {
  if (size == 1) return first;
  std::array<long, 10> parts{};
  nearfork::task_group g;
  for (long i = 0; i < 10; ++i) {
    g.run([&parts, first, size, i] {
      parts[static_cast<std::size_t>(i)] = skynet(first + i * size / 10, size / 10);
    });
  }
  g.wait();
  long sum = 0;
  for (const long v : parts) sum += v;
  return sum;
}

void skynet_100000_leaves(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  for (auto _ : state) benchmark::DoNotOptimize(p.run([] { return skynet(0, 100'000); }));
}
BENCHMARK(skynet_100000_leaves)->Arg(1)->Arg(2)->UseRealTime();

void empty_run_from_outside(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  p.run([] {});
  for (auto _ : state) p.run([] {});
}
BENCHMARK(empty_run_from_outside)->Arg(1)->Arg(2)->UseRealTime();

void injector_1000_submissions(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  for (auto _ : state) {
    std::atomic<int> left{1000};
    std::promise<void> done;
    for (int i = 0; i < 1000; ++i) {
      p.submit([&] {
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) done.set_value();
      });
    }
    done.get_future().wait();
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(injector_1000_submissions)->Arg(1)->Arg(2)->UseRealTime();

// --- baselines: 20,000 tasks of about a microsecond, some ten times longer

constexpr int tasks = 20'000;

void spin(int i) {
  const int rounds = i % 97 == 0 ? 3000 : 300;
  for (int k = 0; k < rounds; ++k) benchmark::DoNotOptimize(k);
}

void uneven_by_join(std::size_t first, std::size_t last) {
  if (last - first == 1) return spin(static_cast<int>(first));
  const std::size_t middle = first + (last - first) / 2;
  nearfork::join([=] { uneven_by_join(first, middle); }, [=] { uneven_by_join(middle, last); });
}

void uneven_tasks_nearfork(benchmark::State& state) {
  nearfork::pool p(with_workers(state));
  for (auto _ : state) p.run([] { uneven_by_join(0, tasks); });
}
BENCHMARK(uneven_tasks_nearfork)->Arg(1)->Arg(2)->UseRealTime();

void uneven_tasks_locked_queue(benchmark::State& state) {
  for (auto _ : state) {
    std::mutex mutex;
    std::deque<int> queue;
    for (int i = 0; i < tasks; ++i) queue.push_back(i);
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < state.range(0); ++t) {
      threads.emplace_back([&] {
        for (;;) {
          int i;
          {
            const std::lock_guard lock(mutex);
            if (queue.empty()) return;
            i = queue.front();
            queue.pop_front();
          }
          spin(i);
        }
      });
    }
  }
}
BENCHMARK(uneven_tasks_locked_queue)->Arg(1)->Arg(2)->UseRealTime();

void uneven_tasks_static_split(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  for (auto _ : state) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < n; ++t) {
      threads.emplace_back([=] {
        for (int i = tasks / n * t; i < (t + 1 == n ? tasks : tasks / n * (t + 1)); ++i) spin(i);
      });
    }
  }
}
BENCHMARK(uneven_tasks_static_split)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
