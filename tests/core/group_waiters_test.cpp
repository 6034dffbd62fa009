// Threads that wait for a group beside the worker that made it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nearfork/nearfork.hpp>
#include <thread>

#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

using namespace std::chrono_literals;

/// Whether \p flag was set within twenty seconds.
bool comes(const std::atomic<bool>& flag) {
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!flag && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  return flag;
}

// The worker that made the group waits for it, and has taken on an unrelated task meanwhile. That
// task waits in another pool, runs the group's last task while it does, and then needs what the
// outside thread does once the group is finished.
TEST(group_waiters, outside_are_woken_though_the_groups_maker_is_held_up_by_another_task) {
  nearfork::pool p(workers(1));
  nearfork::pool q(workers(1));
  std::atomic<nearfork::task_group*> group{nullptr};
  std::atomic<bool> outsider_waits{false};
  std::atomic<bool> last_ran{false};
  std::atomic<bool> outsider_was_woken{false};
  std::atomic<bool> in_time{false};
  std::atomic<bool> outsider_left{false};
  std::thread outsider([&] {
    while (group == nullptr) std::this_thread::yield();
    outsider_waits = true;
    group.load()->wait();
    outsider_was_woken = true;
    outsider_left = true;
  });
  p.run([&] {
    nearfork::task_group g(p);
    g.run([&] {
      while (!outsider_waits) std::this_thread::yield();
      std::this_thread::sleep_for(100ms);  // it is asleep by now, or will not need waking
      last_ran = true;
    });
    // Newer than the group's task: the wait below takes it first.
    p.submit([&] {
      q.run([&] { EXPECT_TRUE(comes(last_ran)); });
      in_time = nearfork::blocking([&] { return comes(outsider_was_woken); });
    });
    group = &g;
    g.wait();
    EXPECT_TRUE(comes(outsider_left));  // before the group goes
  });
  outsider.join();
  EXPECT_TRUE(in_time);
}

}  // namespace
