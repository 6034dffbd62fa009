// Groups of tasks: waiting, failing, cancelling.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <nearfork/nearfork.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "scale.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

using nearfork::task_group;
using nearfork::support::scaled;

class group_with_workers : public ::testing::TestWithParam<std::size_t> {
 protected:
  nearfork::pool pool_{workers(GetParam())};
};

TEST_P(group_with_workers, runs_every_task_once_from_inside_and_outside) {
  std::vector<std::atomic<int>> ran(2000);
  const auto job = [&] {
    task_group g(pool_);
    for (auto& r : ran) g.run([&r] { ++r; });
    g.wait();
  };
  job();
  pool_.run(job);
  for (const auto& r : ran) ASSERT_EQ(r, 2);
}

TEST_P(group_with_workers, can_be_used_again_after_waiting) {
  task_group g(pool_);
  std::atomic<int> n{0};
  for (int round = 1; round <= 50; ++round) {
    for (int i = 0; i < 20; ++i) g.run([&] { ++n; });
    g.wait();
    ASSERT_EQ(n, 20 * round);
  }
  g.wait();
}

TEST_P(group_with_workers, rethrows_the_first_exception_once_and_is_new_again) {
  task_group g(pool_);
  for (int i = 0; i < 100; ++i) {
    g.run([i] {
      if (i % 10 == 3) throw std::runtime_error("task");
    });
  }
  EXPECT_THROW(g.wait(), std::runtime_error);
  EXPECT_FALSE(g.is_cancelled());
  g.wait();
  std::atomic<int> n{0};
  g.run([&] { ++n; });
  g.wait();
  EXPECT_EQ(n, 1);
}

TEST_P(group_with_workers, skips_tasks_that_have_not_begun_when_cancelled) {
  pool_.run([] {
    task_group g;
    std::atomic<int> n{0};
    g.cancel();
    EXPECT_TRUE(g.is_cancelled());
    for (int i = 0; i < 100; ++i) g.run([&] { ++n; });
    g.wait();
    EXPECT_EQ(n, 0);
    EXPECT_FALSE(g.is_cancelled());
    g.run([&] { ++n; });
    g.wait();
    EXPECT_EQ(n, 1);
  });
}

TEST_P(group_with_workers, obeys_a_stop_token) {
  std::stop_source stop;
  std::atomic<int> n{0};
  task_group g(pool_, stop.get_token());
  g.run([&] { ++n; });
  g.wait();
  stop.request_stop();
  EXPECT_TRUE(g.is_cancelled());
  for (int i = 0; i < 10; ++i) g.run([&] { ++n; });
  g.wait();
  EXPECT_EQ(n, 1);
}

TEST_P(group_with_workers, sends_tasks_to_a_node_or_says_which_nodes_there_are) {
  std::atomic<int> n{0};
  task_group g(pool_);
  for (int i = 0; i < 100; ++i) g.run_on(0, [&] { ++n; });
  g.wait();
  pool_.run([&] {
    task_group inner;
    for (int i = 0; i < 100; ++i) inner.run_on(0, [&] { ++n; });
    inner.wait();
  });
  EXPECT_EQ(n, 200);
  EXPECT_THROW(g.run_on(pool_.node_count(), [] {}), std::out_of_range);
}

TEST_P(group_with_workers, may_be_waited_for_by_others_than_the_adder_and_by_several) {
  for (std::size_t round = 0; round < scaled(100); ++round) {
    task_group g(pool_);
    std::atomic<int> n{0};
    for (int i = 0; i < 50; ++i) g.run([&] { ++n; });
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i) {
      waiters.emplace_back([&] {
        g.wait();
        EXPECT_EQ(n, 50);
      });
    }
    for (std::thread& t : waiters) t.join();
  }
}

TEST_P(group_with_workers, waits_for_tasks_that_tasks_add) {
  task_group g(pool_);
  std::atomic<int> n{0};
  struct adder {
    task_group& g;
    std::atomic<int>& n;
    int depth;
    void operator()() const {
      ++n;
      if (depth == 0) return;
      g.run(adder{g, n, depth - 1});
      g.run(adder{g, n, depth - 1});
    }
  };
  g.run(adder{g, n, 10});
  g.wait();
  EXPECT_EQ(n, 2047);
}

TEST_P(group_with_workers, is_waited_for_by_its_destructor) {
  std::atomic<int> n{0};
  {
    task_group g(pool_);
    for (int i = 0; i < 100; ++i) g.run([&] { ++n; });
  }
  EXPECT_EQ(n, 100);
}

TEST_P(group_with_workers, is_cancelled_by_its_destructor_during_unwinding) {
  pool_.run([] {
    std::atomic<int> n{0};
    try {
      task_group g;
      for (int i = 0; i < 1000; ++i) {
        g.run([&] {
          ++n;
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        });
      }
      throw std::runtime_error("unwinding");
    } catch (const std::runtime_error&) {
    }
    EXPECT_LT(n, 1000);
  });
}

long nested(int depth) {
  if (depth == 0) return 1;
  std::array<long, 4> parts{};
  task_group g;
  for (long& p : parts) g.run([&p, depth] { p = nested(depth - 1); });
  g.wait();
  return parts[0] + parts[1] + parts[2] + parts[3];
}

TEST_P(group_with_workers, nests) {
  EXPECT_EQ(pool_.run([] { return nested(6); }), 4096);
}

TEST_P(group_with_workers, takes_move_only_and_over_aligned_callables) {
  struct alignas(256) wide {
    char x = 1;
  };
  task_group g(pool_);
  std::atomic<int> n{0};
  for (int i = 0; i < 50; ++i) {
    g.run([p = std::make_unique<int>(i), w = wide{}, &n] {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w) % 256, 0U);
      n += *p;
    });
  }
  g.wait();
  EXPECT_EQ(n, 1225);
}

long resident_bytes() {
  long total = 0;
  long resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return resident * sysconf(_SC_PAGESIZE);
}

TEST_P(group_with_workers, bounds_the_memory_of_a_loop_that_only_spawns) {
  std::atomic<std::size_t> n{0};
  const long before = resident_bytes();
  const std::size_t inside = scaled(10'000'000);
  pool_.run([&] {
    task_group g;
    for (std::size_t i = 0; i < inside; ++i) {
      g.run([&] { n.fetch_add(1, std::memory_order_relaxed); });
    }
    EXPECT_LT(resident_bytes() - before, 256L << 20);
    g.wait();
  });
  EXPECT_EQ(n, inside);
}

INSTANTIATE_TEST_SUITE_P(, group_with_workers, ::testing::Values(1, 2, 8));

}  // namespace
