/// \file
/// Requirement: the demo's algorithms give the right answers, not only the same ones twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nearfork/nearfork.hpp>
#include <string>
#include <vector>

#include "common/fork.hpp"
#include "common/mix.hpp"
#include "demo/query.hpp"
#include "demo/quicksort.hpp"
#include "demo/triad.hpp"

namespace {

using common::with_forks;
using common::without_forks;

const std::map<std::string, std::function<double(std::size_t i, std::size_t n)>> patterns{
    {"random",
     [](std::size_t i, std::size_t) { return static_cast<double>(common::mix(i) >> 11); }},
    {"few values",
     [](std::size_t i, std::size_t) { return static_cast<double>(common::mix(i) % 5); }},
    {"equal", [](std::size_t, std::size_t) { return 1.0; }},
    {"ascending", [](std::size_t i, std::size_t) { return static_cast<double>(i); }},
    {"descending", [](std::size_t i, std::size_t n) { return static_cast<double>(n - i); }},
    {"organ pipe",
     [](std::size_t i, std::size_t n) { return static_cast<double>(std::min(i, n - i)); }},
    {"saw", [](std::size_t i, std::size_t) { return static_cast<double>(i % 1000); }},
};

class demo_quicksort : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(sizes, demo_quicksort,
                         ::testing::Values(0, 1, 2, 3, 24, 25, 999, 1000, 1001, 5000, 100'000));

TEST_P(demo_quicksort, sorts_every_pattern_with_and_without_forks_alike) {
  const std::size_t n = GetParam();
  nearfork::pool pool;
  for (const auto& [name, value] : patterns) {
    std::vector<double> data(n);
    for (std::size_t i = 0; i < n; ++i) {
      data[i] = value(i, n);
    }
    std::vector<double> expected = data, serial = data;
    std::sort(expected.begin(), expected.end());

    std::uint64_t done = 0;
    const demo::sorted_leaves leaves = demo::quicksort(serial.data(), n, without_forks{},
                                                       [&](std::uint64_t part) { done += part; });
    EXPECT_EQ(serial, expected) << name;
    EXPECT_EQ(done, n) << name;
    EXPECT_GE(leaves.count, 1U) << name;

    const demo::sorted_leaves parallel_leaves = pool.run(
        [&] { return demo::quicksort(data.data(), n, with_forks{}, [](std::uint64_t) {}); });
    EXPECT_EQ(data, expected) << name;
    EXPECT_EQ(parallel_leaves, leaves) << name;
  }
}

TEST(demo_quicksort_pivots, make_ranges_that_differ_by_three_orders_of_magnitude) {
  std::vector<double> data(1'000'000);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = patterns.at("random")(i, data.size());
  }
  const demo::sorted_leaves leaves =
      demo::quicksort(data.data(), data.size(), without_forks{}, [](std::uint64_t) {});
  EXPECT_LE(leaves.smallest, 10U);
  EXPECT_GE(leaves.largest, 900U);
  EXPECT_GT(leaves.count, 1500U);
}

TEST(demo_query, gives_what_a_plain_loop_over_the_rows_gives) {
  constexpr std::size_t rows = 3 * demo::query_grain + 17;
  demo::sales table(rows);
  demo::fill(table, 0, 1000);
  demo::fill(table, 1000, rows);

  std::map<std::size_t, std::uint64_t> sales, revenue;
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_LT(table.day[i], demo::days);
    ASSERT_TRUE(table.quantity[i] >= 1 && table.quantity[i] <= 50);
    ASSERT_LE(table.discount[i], 10);
    ASSERT_LT(table.region[i], demo::regions);
    if (table.day[i] / 365 == 1 && table.quantity[i] <= 23) {
      sales[table.region[i]] += 1;
      revenue[table.region[i]] += std::uint64_t{table.price[i]} * (100U - table.discount[i]);
    }
  }
  nearfork::pool pool;
  const demo::answer parallel = pool.run([&] { return demo::query(table, with_forks{}); });
  EXPECT_EQ(parallel, demo::query(table, without_forks{}));
  for (std::size_t r = 0; r < demo::regions; ++r) {
    EXPECT_GT(parallel.by_region[r].sales, 0U);
    EXPECT_EQ(parallel.by_region[r].sales, sales[r]);
    EXPECT_EQ(parallel.by_region[r].revenue, revenue[r]);
  }
  EXPECT_NEAR(static_cast<double>(parallel.selected()) / rows, 1.0 / 7 * 23 / 50, 0.005);
}

TEST(demo_triad, gives_each_element_what_its_own_recurrence_gives) {
  constexpr std::size_t n = 2 * demo::triad_grain + 5;
  nearfork::pool pool;
  demo::triad_arrays arrays(n);
  pool.run([&] { demo::fill(arrays, with_forks{}); });
  std::vector<double> a(&arrays.a[0], &arrays.a[0] + n), b(&arrays.b[0], &arrays.b[0] + n),
      c(&arrays.c[0], &arrays.c[0] + n);
  pool.run([&] { demo::triad(arrays, with_forks{}); });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t pass = 0; pass < demo::triad_passes; pass += 3) {
      a[i] = b[i] + 0.25 * c[i];
      b[i] = c[i] + 0.25 * a[i];
      c[i] = a[i] + 0.25 * b[i];
    }
    ASSERT_DOUBLE_EQ(arrays.a[i], a[i]) << i;
    ASSERT_DOUBLE_EQ(arrays.b[i], b[i]) << i;
    ASSERT_DOUBLE_EQ(arrays.c[i], c[i]) << i;
  }
}

TEST(demo_triad, digest_tells_a_single_wrong_bit_and_a_wrong_order) {
  demo::triad_arrays arrays(100);
  demo::fill(arrays, without_forks{});
  const std::uint64_t before = demo::digest(arrays);
  std::swap(arrays.b[3], arrays.b[4]);
  EXPECT_NE(demo::digest(arrays), before);
  std::swap(arrays.b[3], arrays.b[4]);
  EXPECT_EQ(demo::digest(arrays), before);
  arrays.c[99] += 0x1p-52;
  EXPECT_NE(demo::digest(arrays), before);
}

TEST(demo_pieces, cover_every_range_once_in_order_and_at_fixed_cuts) {
  for (const std::size_t grain : {1U, 3U, 64U}) {
    for (std::size_t length = 1; length < 200; ++length) {
      std::size_t next = 7;
      common::for_pieces(7, 7 + length, grain, without_forks{},
                         [&](std::size_t from, std::size_t to) {
                           EXPECT_EQ(from, next);
                           EXPECT_EQ((from - 7) % grain, 0U);
                           EXPECT_TRUE(to - from <= grain && to > from);
                           next = to;
                         });
      EXPECT_EQ(next, 7 + length);
    }
  }
}

}  // namespace
