// No wake-up is lost: short bursts with gaps around the time that workers
// search before they sleep. A lost one would hang, and the watchdog would say
// so.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nearfork/nearfork.hpp>
#include <thread>

#include "scale.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::fib;
using nearfork::support::scaled;

struct setting {
  std::size_t workers;
  int spin_us;
};

class wakeups : public ::testing::TestWithParam<setting> {
 protected:
  static nearfork::pool_options options() {
    nearfork::pool_options o;
    o.workers = GetParam().workers;
    o.spin = std::chrono::microseconds(GetParam().spin_us);
    return o;
  }
  /// 0 to about 80 us, as the burst's number wants it.
  static void gap(std::size_t i) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(i * 37 % 80);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  nearfork::pool pool_{options()};
};

TEST_P(wakeups, for_submissions_from_outside) {
  for (std::size_t i = 0; i < scaled(3000); ++i) {
    std::atomic<int> left{3};
    for (int k = 0; k < 3; ++k) pool_.submit([&] { --left; });
    while (left != 0) std::this_thread::yield();
    gap(i);
  }
}

TEST_P(wakeups, for_groups_waited_for_from_outside) {
  for (std::size_t i = 0; i < scaled(3000); ++i) {
    nearfork::task_group g(pool_);
    for (int k = 0; k < 4; ++k) g.run([] { fib(5); });
    g.wait();
    gap(i);
  }
}

TEST_P(wakeups, for_regions_from_outside) {
  for (std::size_t i = 0; i < scaled(3000); ++i) {
    ASSERT_EQ(pool_.run([] { return fib(12); }), 144);
    gap(i);
  }
}

TEST_P(wakeups, for_tasks_that_another_task_waits_for_without_helping) {
  if (GetParam().workers < 2) GTEST_SKIP() << "needs a second worker";
  for (std::size_t i = 0; i < scaled(300); ++i) {
    pool_.run([&] {
      std::atomic<bool> ran{false};
      nearfork::task_group g;
      g.run([&] { ran = true; });
      gap(i);
      // Neither pushes nor pops: somebody else has to see the task.
      while (!ran) std::this_thread::yield();
      g.wait();
    });
    gap(i * 3);
  }
}

INSTANTIATE_TEST_SUITE_P(, wakeups,
                         ::testing::Values(setting{1, 40}, setting{2, 0}, setting{2, 40},
                                           setting{4, 0}, setting{8, 40}),
                         [](const auto& i) {
                           return std::to_string(i.param.workers) + "_workers_spin_" +
                                  std::to_string(i.param.spin_us);
                         });

}  // namespace
