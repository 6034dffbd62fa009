// Sorting: shapes that break quicksorts, throwing comparisons, stability.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <memory>
#include <nearfork/nearfork.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "scale.hpp"

namespace {

using shape = std::vector<int> (*)(int n);

std::vector<int> random_numbers(int n) {
  std::mt19937 g(7);
  std::vector<int> v(static_cast<std::size_t>(n));
  for (int& x : v) x = static_cast<int>(g());
  return v;
}
std::vector<int> all_equal(int n) { return std::vector<int>(static_cast<std::size_t>(n), 5); }
std::vector<int> sorted(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), -n / 2);
  return v;
}
std::vector<int> reversed(int n) {
  std::vector<int> v = sorted(n);
  std::reverse(v.begin(), v.end());
  return v;
}
std::vector<int> organ_pipe(int n) {
  std::vector<int> v = sorted(n);
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = std::min(i, n - i);
  return v;
}
std::vector<int> few_values(int n) {
  std::vector<int> v = random_numbers(n);
  for (int& x : v) x = std::abs(x % 3);
  return v;
}
std::vector<int> saw(int n) {
  std::vector<int> v = sorted(n);
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = i % 28;
  return v;
}

using named_shape = std::pair<const char*, shape>;
class sorting : public ::testing::TestWithParam<named_shape> {};

TEST_P(sorting, gives_what_the_standard_library_gives) {
  for (const std::size_t w : {1UL, 2UL, 4UL}) {
    nearfork::pool_options o;
    o.workers = w;
    nearfork::pool p(o);
    for (const int n : {0, 1, 2, 3, 100, 4095, 4096, 4097, 20'000, 150'000}) {
      const std::vector<int> in = GetParam().second(n);
      std::vector<int> expected = in;
      std::sort(expected.begin(), expected.end());
      std::vector<int> v = in;
      p.run([&] { nearfork::parallel_sort(v.begin(), v.end()); });
      ASSERT_EQ(v, expected);
      v = in;
      p.run([&] { nearfork::parallel_stable_sort(v.begin(), v.end()); });
      ASSERT_EQ(v, expected);
      v = in;
      std::reverse(expected.begin(), expected.end());
      p.run([&] { nearfork::parallel_sort(v.begin(), v.end(), std::greater<>{}); });
      ASSERT_EQ(v, expected);
    }
  }
}

TEST_P(sorting, needs_no_more_than_a_few_n_log_n_comparisons) {
  for (const int n : {50'000, 400'000}) {
    std::vector<int> v = GetParam().second(n);
    std::atomic<long> calls{0};
    const auto less = [&](int a, int b) {
      calls.fetch_add(1, std::memory_order_relaxed);
      return a < b;
    };
    nearfork::parallel_sort(v.begin(), v.end(), less);
    const double bound = 4.0 * n * std::log2(n);
    EXPECT_LT(static_cast<double>(calls), bound);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , sorting,
    ::testing::Values(named_shape("random", random_numbers), named_shape("all_equal", all_equal),
                      named_shape("sorted", sorted), named_shape("reversed", reversed),
                      named_shape("organ_pipe", organ_pipe), named_shape("few_values", few_values),
                      named_shape("saw", saw)),
    [](const auto& i) { return i.param.first; });

TEST(parallel_sort, stays_within_n_log_n_on_a_sequence_made_to_kill_it) {
  // McIlroy's adversary (1999): decides the values while they are compared.
  const int n = 60'000;
  std::vector<int> value(n, n);  // n stands for "not decided yet"
  int solid = 0;
  int candidate = 0;
  long calls = 0;
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  nearfork::pool_options o;
  o.workers = 1;  // the adversary keeps state
  nearfork::pool p(o);
  p.run([&] {
    nearfork::parallel_sort(order.begin(), order.end(), [&](int x, int y) {
      ++calls;
      auto& vx = value[static_cast<std::size_t>(x)];
      auto& vy = value[static_cast<std::size_t>(y)];
      if (vx == n && vy == n) (x == candidate ? vx : vy) = solid++;
      if (vx == n) {
        candidate = x;
      } else if (vy == n) {
        candidate = y;
      }
      return vx < vy;
    });
  });
  EXPECT_LT(static_cast<double>(calls), 8.0 * n * std::log2(n));
}

TEST(parallel_stable_sort, keeps_the_order_of_equal_elements) {
  std::vector<std::pair<int, int>> v;
  const std::vector<int> keys = few_values(100'000);
  for (std::size_t i = 0; i < keys.size(); ++i) v.emplace_back(keys[i], static_cast<int>(i));
  nearfork::parallel_stable_sort(v.begin(), v.end(),
                                 [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
}

TEST(parallel_sort, sorts_move_only_elements_and_other_containers) {
  std::vector<std::unique_ptr<int>> v;
  for (const int x : random_numbers(20'000)) v.push_back(std::make_unique<int>(x));
  const auto less = [](const auto& a, const auto& b) { return *a < *b; };
  nearfork::parallel_sort(v.begin(), v.end(), less);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), less));
  std::shuffle(v.begin(), v.end(), std::mt19937(3));
  nearfork::parallel_stable_sort(v.begin(), v.end(), less);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), less));
  std::deque<std::string> d;
  for (const int x : random_numbers(20'000)) d.push_back(std::to_string(x));
  nearfork::parallel_sort(d.begin(), d.end());
  EXPECT_TRUE(std::is_sorted(d.begin(), d.end()));
}

TEST(parallel_sort, rethrows_a_throwing_comparison_and_leaves_valid_elements) {
  for (const long at : {1L, 100L, 50'000L, 300'000L}) {
    std::vector<std::string> v;
    for (const int x : random_numbers(30'000)) v.push_back(std::to_string(x));
    std::atomic<long> calls{0};
    const auto less = [&](const std::string& a, const std::string& b) {
      if (++calls == at) throw std::runtime_error("less");
      return a < b;
    };
    EXPECT_THROW(nearfork::parallel_sort(v.begin(), v.end(), less), std::runtime_error);
    calls = 400'000'000;
    nearfork::parallel_sort(v.begin(), v.end(), less);
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  }
}

TEST(parallel_stable_sort, loses_no_element_when_a_comparison_throws_anywhere) {
  const std::vector<int> in = random_numbers(30'000);
  std::vector<int> expected = in;
  std::sort(expected.begin(), expected.end());
  for (long at = 1; at < 450'000; at = at * 3 + 1) {
    std::vector<std::unique_ptr<int>> v;
    for (const int x : in) v.push_back(std::make_unique<int>(x));
    std::atomic<long> calls{0};
    EXPECT_THROW(nearfork::parallel_stable_sort(v.begin(), v.end(),
                                                [&](const auto& a, const auto& b) {
                                                  if (++calls >= at) {
                                                    throw std::runtime_error("less");
                                                  }
                                                  return *a < *b;
                                                }),
                 std::runtime_error);
    std::vector<int> left;
    for (const auto& p : v) {
      ASSERT_NE(p, nullptr) << "an element was lost at comparison " << at;
      left.push_back(*p);
    }
    std::sort(left.begin(), left.end());
    ASSERT_EQ(left, expected);
  }
}

}  // namespace
