// What a pool with nothing to do costs: processor time does not depend on the
// machine's load.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <nearfork/nearfork.hpp>
#include <thread>
#include <vector>

#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

using namespace std::chrono_literals;

std::chrono::nanoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

TEST(idle, a_pool_without_work_uses_no_processor) {
  nearfork::pool p(workers(4));
  p.run([] { nearfork::join([] {}, [] {}); });
  std::this_thread::sleep_for(200ms);
  const auto before = processor_time();
  std::this_thread::sleep_for(3s);
  EXPECT_LT(processor_time() - before, 15ms);  // 50 ms in 10 s
}

TEST(idle, workers_beside_one_long_task_use_no_processor) {
  nearfork::pool p(workers(4));
  p.run([] {
    std::this_thread::sleep_for(200ms);
    const auto before = processor_time();
    std::this_thread::sleep_for(2s);  // long, and it takes no processor itself
    EXPECT_LT(processor_time() - before, 15ms);
  });
}

TEST(idle, outside_threads_that_wait_use_no_processor) {
  nearfork::pool p(workers(1));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { p.run([] { std::this_thread::sleep_for(150ms); }); });
  }
  std::this_thread::sleep_for(100ms);
  const auto before = processor_time();
  std::this_thread::sleep_for(800ms);
  EXPECT_LT(processor_time() - before, 40ms);
  for (std::thread& t : threads) t.join();
}

}  // namespace
