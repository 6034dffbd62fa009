// Pools: running, submitting, several at once, who is bound where.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <nearfork/nearfork.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scale.hpp"
#include "scoped_environment.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::fib;
using nearfork::support::workers;

std::set<int> mask_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::set<int> cpus;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) cpus.insert(i);
  }
  return cpus;
}

TEST(pool, gives_back_what_the_callable_gives_or_throws) {
  nearfork::pool p(workers(2));
  int x = 1;
  EXPECT_EQ(p.run([] { return 4; }), 4);
  int& r = p.run([&]() -> int& { return x; });
  r = 7;
  EXPECT_EQ(x, 7);
  EXPECT_EQ(*p.run([] { return std::make_unique<int>(3); }), 3);
  EXPECT_THROW(p.run([] { throw std::runtime_error("root"); }), std::runtime_error);
  p.run([&](nearfork::context& c) { EXPECT_LT(c.index(), p.worker_count()); });
}

TEST(pool, run_by_its_own_worker_is_a_call) {
  nearfork::pool p(workers(1));
  p.run([&] {
    const auto thread = std::this_thread::get_id();
    p.run([&] { EXPECT_EQ(std::this_thread::get_id(), thread); });
  });
}

TEST(pool, serves_many_outside_threads_at_once) {
  nearfork::pool p(workers(2));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < nearfork::support::scaled(200); ++i) {
        ASSERT_EQ(p.run([] { return fib(10); }), 55);
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST(pool, of_one_worker_each_finish_in_rings_of_calls) {
  nearfork::pool a(workers(1));
  nearfork::pool b(workers(1));
  nearfork::pool c(workers(1));
  for (std::size_t i = 0; i < nearfork::support::scaled(50); ++i) {
    EXPECT_EQ(a.run([&] { return b.run([&] { return a.run([] { return fib(6); }); }); }), 8);
    EXPECT_EQ(a.run([&] {
      return b.run(
          [&] { return c.run([&] { return a.run([&] { return b.run([] { return 5; }); }); }); });
    }),
              5);
  }
  // From several directions at once.
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) b.run([&] { a.run([&] { c.run([] { fib(8); }); }); });
  });
  for (int i = 0; i < 50; ++i) a.run([&] { b.run([&] { a.run([] { fib(8); }); }); });
  other.join();
}

TEST(pool, runs_everything_submitted_before_it_ends) {
  std::atomic<int> n{0};
  {
    nearfork::pool p(workers(2));
    for (int i = 0; i < 500; ++i) p.submit([&] { ++n; });
    for (int i = 0; i < 500; ++i) {
      p.submit_to(0, [&, &pool = p] { pool.submit([&] { ++n; }); });
    }
    EXPECT_THROW(p.submit_to(p.node_count(), [] {}), std::out_of_range);
  }
  EXPECT_EQ(n, 1000);
}

TEST(pool, hands_exceptions_of_submitted_tasks_to_the_handler) {
  std::atomic<int> caught{0};
  nearfork::pool_options o = workers(2);
  o.on_exception = [&](std::exception_ptr e) {
    EXPECT_THROW(std::rethrow_exception(e), std::runtime_error);
    ++caught;
  };
  {
    nearfork::pool p(o);
    for (int i = 0; i < 20; ++i) p.submit([] { throw std::runtime_error("submitted"); });
  }
  EXPECT_EQ(caught, 20);
}

TEST(pool, may_be_used_after_the_thread_that_made_it_has_ended) {
  std::unique_ptr<nearfork::pool> p;
  std::thread([&] { p = std::make_unique<nearfork::pool>(workers(2)); }).join();
  EXPECT_EQ(p->run([] { return fib(12); }), 144);
  std::thread([&] { p.reset(); }).join();
}

TEST(pool, counts_each_task_once) {
  for (const std::size_t w : {1UL, 2UL, 8UL}) {
    nearfork::pool p(workers(w));
    p.reset_stats();
    p.run([] { fib(16); });
    const auto t = p.stats().total;
    // fib(17) - 1 forks, and the root; a task of a join is spawned and run
    // once.
    EXPECT_EQ(t.tasks_spawned, 1596U) << w;
    EXPECT_EQ(t.tasks_run, 1597U) << w;
    EXPECT_GE(t.total_attempts(), t.total_steals());
    p.reset_stats();
    EXPECT_EQ(p.stats().total.tasks_run, 0U);
  }
}

TEST(pool, keeps_its_workers_within_the_callers_mask_and_leaves_that_alone) {
  const std::set<int> before = mask_of_this_thread();
  {
    nearfork::pool p(workers(2));
    EXPECT_EQ(mask_of_this_thread(), before);
    for (int i = 0; i < 20; ++i) {
      p.submit([&] {
        for (const int cpu : mask_of_this_thread()) EXPECT_TRUE(before.contains(cpu));
      });
    }
  }
  EXPECT_EQ(mask_of_this_thread(), before);
}

TEST(pool, made_by_a_thread_on_one_cpu_has_one_worker_there) {
  std::thread([] {
    const int cpu = *mask_of_this_thread().rbegin();
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    nearfork::pool p;
    EXPECT_EQ(p.worker_count(), 1U);
    std::atomic<bool> done{false};
    p.submit([&] {
      EXPECT_EQ(mask_of_this_thread(), std::set<int>{cpu});
      done = true;
    });
    while (!done) std::this_thread::yield();
  }).join();
}

TEST(pool, binds_the_caller_only_if_asked_and_gives_its_mask_back) {
  const std::set<int> before = mask_of_this_thread();
  {
    nearfork::pool_options o = workers(1);
    o.bind_caller = true;
    nearfork::pool p(o);
    EXPECT_EQ(mask_of_this_thread().size(), p.plan().workers[0].binding.size());
  }
  EXPECT_EQ(mask_of_this_thread(), before);
}

TEST(pool, blocks_signals_in_its_workers) {
  nearfork::pool p(workers(1));
  std::atomic<int> blocked{-1};
  // A submission runs on the worker's own thread.
  p.submit([&] {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, nullptr, &set);
    blocked = sigismember(&set, SIGTERM) + sigismember(&set, SIGUSR1) + sigismember(&set, SIGINT);
  });
  while (blocked < 0) std::this_thread::yield();
  EXPECT_EQ(blocked, 3);
  sigset_t mine;
  pthread_sigmask(SIG_BLOCK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGTERM), 0);
}

TEST(pool, refuses_options_that_cannot_be) {
  nearfork::pool_options o;
  o.deque_capacity = 3;
  EXPECT_THROW(nearfork::pool{o}, nearfork::config_error);
  o = {};
  o.spin = std::chrono::nanoseconds(-1);
  EXPECT_THROW(nearfork::pool{o}, nearfork::config_error);
  o = {};
  o.stack_bytes = 1;
  EXPECT_THROW(nearfork::pool{o}, nearfork::config_error);
}

TEST(pool, of_a_foreign_machine_binds_nothing_and_starts_few_threads) {
  const nearfork::support::scoped_environment topology("NEARFORK_TOPOLOGY", "numa:4 core:8 pu:1");
  const std::size_t here = mask_of_this_thread().size();
  const std::set<int> before = mask_of_this_thread();
  nearfork::pool p;
  EXPECT_LE(p.worker_count(), here);
  EXPECT_EQ(p.node_count(), 4U);
  EXPECT_TRUE(p.plan().foreign);
  p.run([] { fib(15); });
  std::atomic<bool> done{false};
  p.submit([&] {
    EXPECT_EQ(mask_of_this_thread(), before);
    done = true;
  });
  while (!done) std::this_thread::yield();
}

TEST(pool, in_a_forked_child_says_so_and_the_default_pool_is_made_anew) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads";
#endif
  nearfork::pool p(workers(2));
  EXPECT_EQ(nearfork::default_pool().run([] { return fib(10); }), 55);
  const pid_t child = fork();
  if (child == 0) {
    int code = 0;
    try {
      p.run([] {});
      code |= 1;
    } catch (const nearfork::fork_error&) {
    }
    try {
      p.submit([] {});
      code |= 2;
    } catch (const nearfork::fork_error&) {
    }
    if (nearfork::default_pool().run([] { return fib(10); }) != 55) code |= 4;
    if (fib(9) != 34) code |= 8;
    _exit(code);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(p.run([] { return fib(10); }), 55);
}

}  // namespace
