// Pools that change size, tasks that block, isolated waits.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nearfork/nearfork.hpp>
#include <thread>

#include "scale.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::fib;
using nearfork::support::workers;

TEST(resize, changes_the_worker_count_up_and_down) {
  nearfork::pool p(workers(2));
  for (const std::size_t n : {1UL, 4UL, 2UL, 8UL, 1UL}) {
    p.resize(n);
    EXPECT_EQ(p.worker_count(), n);
    EXPECT_EQ(p.run([] { return fib(18); }), 2584);
  }
}

TEST(resize, refuses_zero_and_more_than_the_limit) {
  nearfork::pool p(workers(1));
  EXPECT_THROW(p.resize(0), nearfork::config_error);
  EXPECT_THROW(p.resize(p.worker_limit() + 1), nearfork::config_error);
  EXPECT_EQ(p.worker_count(), 1U);
}

TEST(resize, loses_nothing_while_jobs_run) {
  nearfork::pool p(workers(2));
  std::atomic<bool> done{false};
  std::thread resizer([&] {
    for (unsigned x = 1; !done;) {
      x = x * 1'103'515'245U + 12'345U;
      p.resize(1 + (x >> 16) % 6);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (std::size_t i = 0; i < nearfork::support::scaled(100); ++i) {
    ASSERT_EQ(p.run([] { return fib(18); }), 2584);
    std::atomic<int> n{0};
    nearfork::task_group g(p);
    for (int k = 0; k < 50; ++k) g.run([&] { ++n; });
    g.wait();
    ASSERT_EQ(n, 50);
  }
  done = true;
  resizer.join();
}

TEST(resize, may_be_called_by_a_task) {
  nearfork::pool p(workers(1));
  p.run([&] {
    p.resize(3);
    EXPECT_EQ(fib(15), 610);
    p.resize(1);
    EXPECT_EQ(fib(15), 610);
  });
}

TEST(blocking, lets_a_pool_of_one_worker_run_what_the_blocked_task_waits_for) {
  nearfork::pool p(workers(1));
  for (int i = 0; i < 20; ++i) {
    p.run([&] {
      std::atomic<bool> flag{false};
      nearfork::task_group g;
      g.run([&] { flag = true; });
      nearfork::blocking([&] {
        while (!flag) std::this_thread::yield();
      });
      g.wait();
    });
  }
}

TEST(blocking, tasks_may_wait_for_each_other_in_numbers) {
  nearfork::pool p(workers(2));
  p.run([&] {
    std::atomic<int> arrived{0};
    nearfork::task_group g;
    for (int i = 0; i < 16; ++i) {
      g.run([&] {
        nearfork::blocking([&] {
          ++arrived;
          while (arrived < 16) std::this_thread::yield();
        });
      });
    }
    g.wait();
    EXPECT_EQ(arrived, 16);
  });
}

TEST(blocking, returns_values_passes_exceptions_and_works_outside_of_pools) {
  nearfork::pool p(workers(1));
  EXPECT_EQ(nearfork::blocking([] { return 4; }), 4);
  EXPECT_EQ(p.run([] { return nearfork::blocking([] { return 5; }); }), 5);
  EXPECT_THROW(p.run([] { nearfork::blocking([] { throw std::runtime_error("blocked"); }); }),
               std::runtime_error);
  EXPECT_EQ(p.worker_count(), 1U);
}

TEST(isolate, keeps_an_unrelated_task_out_of_a_wait) {
  nearfork::pool p(workers(1));
  p.run([] {
    bool inside = false;
    bool disturbed = false;
    int done = 0;
    nearfork::task_group outer;
    for (int i = 0; i < 10; ++i) {
      outer.run([&] { disturbed = disturbed || inside; });
    }
    nearfork::isolate([&] {
      inside = true;
      nearfork::task_group g;
      for (int i = 0; i < 10; ++i) g.run([&] { ++done; });
      g.wait();
      EXPECT_EQ(fib(10), 55);
      inside = false;
    });
    EXPECT_EQ(done, 10);
    outer.wait();
    EXPECT_FALSE(disturbed);
  });
}

TEST(isolate, nests_returns_values_and_passes_exceptions) {
  nearfork::pool p(workers(2));
  EXPECT_EQ(
      p.run([] { return nearfork::isolate([] { return nearfork::isolate([] { return 6; }); }); }),
      6);
  EXPECT_THROW(p.run([] { nearfork::isolate([] { throw std::runtime_error("isolated"); }); }),
               std::runtime_error);
  EXPECT_EQ(nearfork::isolate([] { return 7; }), 7);
}

}  // namespace
