// One object a worker.
#include <gtest/gtest.h>

#include <memory>
#include <memory_resource>
#include <nearfork/nearfork.hpp>
#include <vector>

namespace {

TEST(worker_local, sums_up_what_the_workers_counted) {
  nearfork::pool_options o;
  o.workers = 4;
  nearfork::pool p(o);
  nearfork::worker_local<long> count(p);
  p.run([&] {
    nearfork::task_group g;
    for (int i = 0; i < 10'000; ++i) g.run([&] { ++count.local(); });
    g.wait();
  });
  EXPECT_EQ(count.combine(0L, [](long a, long b) { return a + b; }), 10'000);
  EXPECT_LE(count.size(), 4U);
}

TEST(worker_local, makes_its_objects_on_the_worker_that_asks_and_destroys_them) {
  static int alive = 0;
  struct object {
    object() { ++alive; }
    object(object&&) noexcept { ++alive; }
    ~object() { --alive; }
    nearfork::worker_index maker = nearfork::current_worker();
  };
  nearfork::pool_options o;
  o.workers = 1;
  nearfork::pool p(o);
  {
    nearfork::worker_local<object> w(p);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(p.run([&] { return w.local().maker; }), 0U);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(worker_local, refuses_threads_that_are_no_workers_of_its_pool) {
  nearfork::pool_options o;
  o.workers = 1;
  nearfork::pool p(o);
  nearfork::pool other(o);
  nearfork::worker_local<int> w(p);
  EXPECT_THROW(w.local(), std::logic_error);
  other.run([&] { EXPECT_THROW(w.local(), std::logic_error); });
}

TEST(worker_local, has_room_for_workers_that_come_later) {
  nearfork::pool_options o;
  o.workers = 1;
  nearfork::pool p(o);
  nearfork::worker_local<int> w(p, [] { return 10; });
  p.resize(6);
  p.run([&] {
    nearfork::task_group g;
    for (int i = 0; i < 600; ++i) g.run([&] { EXPECT_EQ(w.local(), 10); });
    g.wait();
  });
}

TEST(local_resource, serves_containers_inside_and_outside_of_pools) {
  std::pmr::vector<int> outside(&nearfork::local_resource());
  outside.resize(1000, 3);
  nearfork::pool p;
  p.run([] {
    std::pmr::vector<int> inside(&nearfork::local_resource());
    inside.resize(100'000, 4);
    EXPECT_EQ(inside.back(), 4);
  });
  EXPECT_EQ(outside.front(), 3);
}

}  // namespace
