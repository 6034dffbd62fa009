// Reductions: in order, and the same bits whatever the machine does.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <nearfork/nearfork.hpp>
#include <string>
#include <thread>

#include "scale.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

using nearfork::index_range;
using nearfork::parallel_reduce;

TEST(parallel_reduce, of_a_non_commutative_operation_equals_the_serial_one_for_all_short_lengths) {
  const int longest = nearfork::support::test_scale() < 0.5 ? 150 : 1000;
  for (std::size_t w = 1; w <= 8; w = w < 3 ? w + 1 : w * 2 - 1) {
    nearfork::pool p(workers(w));
    p.run([&] {
      std::string serial;
      for (int n = 0; n <= longest; ++n) {
        const auto letter = [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); };
        ASSERT_EQ(parallel_reduce(0, n, std::string(), letter,
                                  [](std::string a, const std::string& b) { return a + b; },
                                  {.grain = static_cast<std::size_t>(n % 5), .stop = {}}),
                  serial);
        serial += letter(n);
      }
    });
  }
}

TEST(parallel_reduce, of_floating_point_sums_has_the_same_bits_for_every_worker_count_and_run) {
  const auto value = [](int i) { return std::sin(i) * std::exp(i % 40); };
  double expected = 0;
  bool first = true;
  for (const std::size_t w : {1UL, 2UL, 3UL, 7UL}) {
    nearfork::pool p(workers(w));
    for (std::size_t run = 0; run < nearfork::support::scaled(250); ++run) {
      const double sum = p.run([&] {
        return parallel_reduce(-5000, 15'000, 0.0, value, [](double a, double b) { return a + b; });
      });
      if (first) expected = sum;
      first = false;
      ASSERT_EQ(std::memcmp(&sum, &expected, sizeof sum), 0);
    }
  }
}

TEST(parallel_reduce, gives_the_identity_for_empty_and_inverted_ranges) {
  const auto add = [](int a, int b) { return a + b; };
  EXPECT_EQ(parallel_reduce(5, 5, 42, [](int) { return 1; }, add), 42);
  EXPECT_EQ(parallel_reduce(5, -5, 42, [](int) { return 1; }, add), 42);
}

TEST(parallel_reduce, maps_whole_leaves_and_move_only_values) {
  EXPECT_EQ(parallel_reduce(
                std::size_t{0}, std::size_t{100'000}, std::size_t{0},
                [](index_range<std::size_t> r) { return r.size(); },
                [](std::size_t a, std::size_t b) { return a + b; }),
            100'000U);
  auto sum = parallel_reduce(
      0, 1000, std::unique_ptr<int>(), [](int i) { return std::make_unique<int>(i); },
      [](std::unique_ptr<int> a, std::unique_ptr<int> b) {
        *a += *b;
        return a;
      });
  EXPECT_EQ(*sum, 499'500);
}

TEST(parallel_reduce, rethrows_from_map_and_combine_at_any_place) {
  nearfork::pool p(workers(3));
  p.run([] {
    const auto add = [](int a, int b) { return a + b; };
    for (int at = 0; at < 300; at += 13) {
      EXPECT_THROW(parallel_reduce(
                       0, 300, 0,
                       [&](int i) {
                         if (i == at) throw std::runtime_error("map");
                         return 1;
                       },
                       add),
                   std::runtime_error);
    }
    std::atomic<int> calls{0};
    EXPECT_THROW(parallel_reduce(
                     0, 300, 0, [](int) { return 1; },
                     [&](int a, int b) {
                       if (++calls == 100) throw std::runtime_error("combine");
                       return a + b;
                     }),
                 std::runtime_error);
    EXPECT_EQ(parallel_reduce(0, 300, 0, [](int) { return 1; }, add), 300);
  });
}

TEST(parallel_reduce, throws_cancelled_when_stopped) {
  const auto add = [](int a, int b) { return a + b; };
  std::stop_source stop;
  EXPECT_THROW(parallel_reduce(0, 200, 0,
                               [&](int) {
                                 stop.request_stop();
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                 return 1;
                               },
                               add, {.grain = 1, .stop = stop.get_token()}),
               nearfork::cancelled);
  EXPECT_THROW(
      parallel_reduce(0, 10, 0, [](int) { return 1; }, add, {.grain = 0, .stop = stop.get_token()}),
      nearfork::cancelled);
}

}  // namespace
