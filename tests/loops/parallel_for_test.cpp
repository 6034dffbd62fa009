// Every index once: all shapes of ranges, all types, all schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <list>
#include <nearfork/nearfork.hpp>
#include <numeric>
#include <vector>

#include "scale.hpp"

namespace {

using nearfork::index_range;
using nearfork::loop_options;
using nearfork::parallel_for;
using nearfork::schedule;

class parallel_for_workers : public ::testing::TestWithParam<std::size_t> {
 protected:
  parallel_for_workers() : pool_(options()) {}
  static nearfork::pool_options options() {
    nearfork::pool_options o;
    o.workers = GetParam();
    return o;
  }
  nearfork::pool pool_;
};

constexpr schedule schedules[] = {schedule::adaptive, schedule::fixed, schedule::by_node};

/// Runs the loop and compares with the serial one.
template <class I>
void expect_each_once(I first, I last, const loop_options& o) {
  const int low = std::numeric_limits<I>::min();
  std::vector<std::atomic<int>> seen(256);
  EXPECT_TRUE(
      parallel_for(first, last, [&](I i) { ++seen[static_cast<std::size_t>(i - low)]; }, o));
  std::vector<std::atomic<int>> by_range(256);
  EXPECT_TRUE(parallel_for(
      first, last,
      [&](index_range<I> r) {
        ASSERT_FALSE(r.empty());
        for (const I i : r) ++by_range[static_cast<std::size_t>(i - low)];
      },
      o));
  for (int i = 0; i < 256; ++i) {
    const int expected = i + low >= first && i + low < last ? 1 : 0;
    ASSERT_EQ(seen[static_cast<std::size_t>(i)], expected);
    ASSERT_EQ(by_range[static_cast<std::size_t>(i)], expected);
  }
}

TEST_P(parallel_for_workers, visits_each_index_of_every_8_bit_range_once) {
  pool_.run([] {
    const int step = nearfork::support::test_scale() < 0.5 ? 31 : 5;
    for (int a = 0; a < 256; a += step) {
      for (int b = 0; b < 256; b += step) {
        const loop_options o{.grain = static_cast<std::size_t>(b % 7),
                             .stop = {},
                             .schedule = schedules[(a + b) % 3]};
        expect_each_once(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), o);
        expect_each_once(static_cast<std::int8_t>(a - 128), static_cast<std::int8_t>(b - 128), o);
      }
    }
    // The whole range that a half-open pair can name.
    for (const schedule s : schedules) {
      const loop_options o{.grain = 0, .stop = {}, .schedule = s};
      expect_each_once(std::numeric_limits<std::int8_t>::min(),
                       std::numeric_limits<std::int8_t>::max(), o);
      expect_each_once(std::uint8_t{0}, std::uint8_t{255}, o);
    }
  });
}

template <class I>
void expect_ends_work() {
  const I top = std::numeric_limits<I>::max();
  const I bottom = std::numeric_limits<I>::min();
  for (const schedule s : schedules) {
    const loop_options o{.grain = 0, .stop = {}, .schedule = s};
    std::atomic<int> n{0};
    EXPECT_TRUE(parallel_for(static_cast<I>(top - 100), top, [&](I) { ++n; }, o));
    EXPECT_TRUE(parallel_for(bottom, static_cast<I>(bottom + 100), [&](I) { ++n; }, o));
    EXPECT_EQ(n, 200);
    EXPECT_TRUE(parallel_for(top, bottom, [&](I) { ++n; }, o));
    EXPECT_TRUE(parallel_for(top, top, [&](I) { ++n; }, o));
    EXPECT_EQ(n, 200);
    // The widest range of all, in a few huge pieces.
    std::atomic<std::uint64_t> total{0};
    const loop_options wide{.grain = std::size_t{1} << 62, .stop = {}, .schedule = s};
    EXPECT_TRUE(parallel_for(bottom, top, [&](index_range<I> r) { total += r.size(); }, wide));
    EXPECT_EQ(total, static_cast<std::uint64_t>(top) - static_cast<std::uint64_t>(bottom));
  }
}

TEST_P(parallel_for_workers, works_at_the_ends_of_every_integer_type) {
  pool_.run([] {
    expect_ends_work<std::int16_t>();
    expect_ends_work<std::uint16_t>();
    expect_ends_work<std::int32_t>();
    expect_ends_work<std::uint32_t>();
    expect_ends_work<std::int64_t>();
    expect_ends_work<std::uint64_t>();
    expect_ends_work<char>();
  });
}

TEST_P(parallel_for_workers, mixes_types_of_the_two_ends_or_refuses) {
  pool_.run([] {
    std::vector<int> v(1000);
    EXPECT_TRUE(parallel_for(0, v.size(), [&](std::size_t i) { v[i] = 1; }));
    EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 1000);
    EXPECT_THROW(parallel_for(-1, std::size_t{5}, [](std::size_t) {}), std::out_of_range);
  });
}

TEST_P(parallel_for_workers, stops_when_asked_and_says_so) {
  pool_.run([] {
    for (const schedule s : schedules) {
      std::stop_source stop;
      std::atomic<int> n{0};
      const loop_options o{.grain = 1, .stop = stop.get_token(), .schedule = s};
      EXPECT_FALSE(parallel_for(
          0, 1'000'000,
          [&](int) {
            if (++n == 10) stop.request_stop();
          },
          o));
      EXPECT_LT(n, 1'000'000);
      n = 0;
      EXPECT_FALSE(parallel_for(0, 100, [&](int) { ++n; }, o));
      EXPECT_EQ(n, 0);
    }
  });
}

TEST_P(parallel_for_workers, rethrows_an_exception_thrown_at_any_index) {
  pool_.run([] {
    for (const schedule s : schedules) {
      for (int at = 0; at < 200; at += 7) {
        const loop_options o{.grain = static_cast<std::size_t>(at % 3), .stop = {}, .schedule = s};
        EXPECT_THROW(parallel_for(
                         0, 200,
                         [&](int i) {
                           if (i == at) throw std::runtime_error("body");
                         },
                         o),
                     std::runtime_error);
      }
      EXPECT_TRUE(parallel_for(0, 10, [](int) {}, {.grain = 0, .stop = {}, .schedule = s}));
    }
  });
}

TEST_P(parallel_for_workers, nests) {
  pool_.run([] {
    std::atomic<long> n{0};
    parallel_for(0, 20, [&](int) {
      parallel_for(0, 20, [&](int) { parallel_for(0, 20, [&](int) { ++n; }); });
    });
    EXPECT_EQ(n, 8000);
  });
}

TEST_P(parallel_for_workers, shares_out_long_iterations_one_by_one) {
  pool_.run([this] {
    std::vector<std::atomic<int>> ran_on(pool_.worker_count());
    parallel_for(0, 64, [&](int) {
      ++ran_on[nearfork::current_worker()];
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
    int total = 0;
    std::size_t took_part = 0;
    for (const auto& r : ran_on) {
      total += r;
      took_part += r > 0 ? 1 : 0;
    }
    // Sleeping takes no processor: a second worker has all the time to come.
    EXPECT_GE(took_part, std::min<std::size_t>(2, ran_on.size()));
    EXPECT_EQ(total, 64);
  });
}

TEST_P(parallel_for_workers, for_each_reaches_vectors_and_lists) {
  pool_.run([] {
    std::vector<int> v(5000, 1);
    EXPECT_TRUE(nearfork::parallel_for_each(v, [](int& x) { x += 1; }));
    EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 10'000);
    std::list<int> l(500, 1);
    EXPECT_TRUE(nearfork::parallel_for_each(l, [](int& x) { x += 2; }));
    EXPECT_EQ(std::accumulate(l.begin(), l.end(), 0), 1500);
    std::vector<int> none;
    EXPECT_TRUE(nearfork::parallel_for_each(none, [](int&) { FAIL(); }));
  });
}

INSTANTIATE_TEST_SUITE_P(, parallel_for_workers, ::testing::Values(1, 2, 5));

TEST(parallel_for, works_from_outside_of_any_pool) {
  std::atomic<long> sum{0};
  EXPECT_TRUE(parallel_for(0, 1000, [&](int i) { sum += i; }));
  EXPECT_EQ(sum, 499'500);
}

}  // namespace
