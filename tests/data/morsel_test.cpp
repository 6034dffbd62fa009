// Data-parallel loops morsel by morsel.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <nearfork/nearfork.hpp>
#include <thread>

#include "scale.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

using nearfork::morsel;
using nearfork::numa_array;

TEST(morsel_for, visits_every_element_once_for_many_sizes) {
  for (const std::size_t w : {1UL, 2UL, 5UL}) {
    nearfork::pool p(workers(w));
    for (const std::size_t n : {0UL, 1UL, 2UL, 99UL, 100UL, 101UL, 12'345UL}) {
      for (const std::size_t size : {0UL, 1UL, 7UL, 100UL, 1'000'000UL}) {
        numa_array<int> a(n, nearfork::block, p);
        EXPECT_TRUE(nearfork::morsel_for(a, size, [](std::span<int> s) {
          for (int& x : s) ++x;
        }));
        for (const int x : a) ASSERT_EQ(x, 1) << n << " elements by " << size;
      }
    }
  }
}

TEST(morsel_for, gives_morsels_of_at_most_the_asked_size_and_tells_where_they_are) {
  nearfork::pool p(workers(2));
  numa_array<int> a(10'000, nearfork::interleaved, p);
  std::atomic<std::size_t> total{0};
  nearfork::morsel_for(a, 333, [&](std::span<int> s, const morsel& m) {
    EXPECT_LE(s.size(), 333U);
    EXPECT_EQ(s.size(), m.size());
    EXPECT_EQ(s.data(), a.data() + m.first());
    EXPECT_EQ(m.node(), a.node_of(m.first()));
    EXPECT_EQ(m.local(), m.node() == nearfork::current_node());
    total += s.size();
  });
  EXPECT_EQ(total, 10'000U);
}

TEST(morsel_for, over_indices_covers_them_once) {
  nearfork::pool p(workers(3));
  std::vector<std::atomic<int>> seen(5000);
  p.run([&] {
    EXPECT_TRUE(nearfork::morsel_for(1000, 5000, 37, [&](std::size_t first, std::size_t last) {
      EXPECT_LE(last - first, 37U);
      for (; first < last; ++first) ++seen[first];
    }));
    EXPECT_TRUE(nearfork::morsel_for(10, 10, 5, [](const morsel&) { FAIL(); }));
    EXPECT_TRUE(nearfork::morsel_for(10, 3, 5, [](const morsel&) { FAIL(); }));
  });
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i >= 1000 ? 1 : 0);
}

TEST(morsel_for, stops_at_a_morsel_boundary_and_says_so) {
  nearfork::pool p(workers(2));
  numa_array<int> a(100'000, nearfork::block, p);
  std::stop_source stop;
  std::atomic<int> n{0};
  EXPECT_FALSE(nearfork::morsel_for(a, 10,
                                    [&](std::span<int>) {
                                      if (++n == 5) stop.request_stop();
                                    },
                                    {stop.get_token()}));
  EXPECT_LT(n, 100);
  // Stopped before it began: nothing runs.
  n = 0;
  EXPECT_FALSE(nearfork::morsel_for(a, 10, [&](std::span<int>) { ++n; }, {stop.get_token()}));
  EXPECT_EQ(n, 0);
}

TEST(morsel_for, rethrows_an_exception_from_any_morsel_and_leaves_the_pool_usable) {
  nearfork::pool p(workers(2));
  numa_array<int> a(1000, nearfork::block, p);
  for (std::size_t at = 0; at < 1000; at += 111) {
    EXPECT_THROW(nearfork::morsel_for(a, 1,
                                      [&](const morsel& m) {
                                        if (m.first() == at) throw std::runtime_error("morsel");
                                      }),
                 std::runtime_error);
  }
  EXPECT_TRUE(nearfork::morsel_for(a, 10, [](std::span<int>) {}));
}

TEST(morsel_for, goes_on_when_the_pool_changes_size_meanwhile) {
  nearfork::pool p(workers(2));
  numa_array<int> a(nearfork::support::scaled(300'000), nearfork::block, p);
  std::atomic<bool> done{false};
  std::thread resizer([&] {
    for (std::size_t n = 1; !done; n = n % 4 + 1) {
      p.resize(n);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  for (int round = 1; round <= 5; ++round) {
    EXPECT_TRUE(nearfork::morsel_for(a, 16, [](std::span<int> s) {
      for (int& x : s) ++x;
    }));
    for (const int x : a) ASSERT_EQ(x, round);
  }
  done = true;
  resizer.join();
}

TEST(morsel_for, counts_local_and_remote_morsels) {
  nearfork::pool p(workers(2));
  numa_array<int> a(1000, nearfork::block, p);
  p.reset_stats();
  nearfork::morsel_for(a, 10, [](std::span<int>) {});
  const auto t = p.stats().total;
  EXPECT_EQ(t.morsels_local + t.morsels_remote, 100U);
  if (p.node_count() == 1) {
    EXPECT_EQ(t.morsels_remote, 0U);
  }
}

TEST(morsel_reduce, has_the_same_bits_for_every_worker_count_and_run) {
  double expected = 0;
  bool first = true;
  for (const std::size_t w : {1UL, 2UL, 3UL, 8UL}) {
    nearfork::pool p(workers(w));
    numa_array<double> a(100'000, nearfork::block, p);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i)) * 1e10;
    for (int run = 0; run < 10; ++run) {
      const double sum = nearfork::morsel_reduce(
          a, 777, 0.0,
          [](std::span<const double> s) {
            double t = 0;
            for (const double x : s) t += x;
            return t;
          },
          [](double x, double y) { return x + y; });
      if (first) expected = sum;
      first = false;
      ASSERT_EQ(std::memcmp(&sum, &expected, sizeof sum), 0);
    }
  }
}

TEST(morsel_reduce, combines_in_index_order) {
  nearfork::pool p(workers(4));
  numa_array<char> a(500, nearfork::block, p);
  std::string expected;
  for (std::size_t i = 0; i < a.size(); ++i) expected += a[i] = static_cast<char>('a' + i % 26);
  EXPECT_EQ(nearfork::morsel_reduce(
                a, 3, std::string(),
                [](std::span<const char> s) { return std::string(s.begin(), s.end()); },
                [](std::string x, const std::string& y) { return x + y; }),
            expected);
}

TEST(morsel_reduce, throws_cancelled_when_stopped) {
  nearfork::pool p(workers(2));
  numa_array<int> a(1000, nearfork::block, p);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(nearfork::morsel_reduce(
                   a, 10, 0, [](std::span<const int> s) { return static_cast<int>(s.size()); },
                   [](int x, int y) { return x + y; }, {stop.get_token()}),
               nearfork::cancelled);
}

}  // namespace
