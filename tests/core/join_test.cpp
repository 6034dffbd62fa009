// What join gives back, and what it does when a branch throws.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <nearfork/nearfork.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

#include "scale.hpp"

namespace {

using nearfork::context;
using nearfork::join;

class join_with_workers : public ::testing::TestWithParam<std::size_t> {
 protected:
  static nearfork::pool_options options() {
    nearfork::pool_options o;
    o.workers = GetParam();
    o.deque_capacity = 2;
    return o;
  }
  nearfork::pool pool_{options()};
};

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}
long context_fib(context& c, int n) {
  if (n < 2) return n;
  const auto [a, b] = join(
      c, [n](context& i) { return context_fib(i, n - 1); },
      [n](context& i) { return context_fib(i, n - 2); });
  return a + b;
}

TEST_P(join_with_workers, gives_both_results_in_a_pair) {
  const auto r =
      pool_.run([] { return join([] { return 1; }, [] { return std::string("two"); }); });
  static_assert(std::is_same_v<decltype(r), const std::pair<int, std::string>>);
  EXPECT_EQ(r.first, 1);
  EXPECT_EQ(r.second, "two");
}

TEST_P(join_with_workers, gives_monostate_for_a_void_branch_and_void_for_two) {
  pool_.run([] {
    int n = 0;
    static_assert(std::is_void_v<decltype(join([] {}, [] {}))>);
    static_assert(
        std::is_same_v<decltype(join([] {}, [] { return 1; })), std::pair<std::monostate, int>>);
    static_assert(
        std::is_same_v<decltype(join([] { return 1; }, [] {})), std::pair<int, std::monostate>>);
    EXPECT_EQ(join([&] { ++n; }, [] { return 1; }).second, 1);
    EXPECT_EQ(join([] { return 2; }, [&] { ++n; }).first, 2);
    EXPECT_EQ(n, 2);
  });
}

TEST_P(join_with_workers, passes_references_on) {
  int a = 0;
  int b = 0;
  pool_.run([&] {
    auto r = join([&]() -> int& { return a; }, [&]() -> int& { return b; });
    r.first = 3;
    r.second = 4;
  });
  EXPECT_EQ(a, 3);
  EXPECT_EQ(b, 4);
}

TEST_P(join_with_workers, takes_move_only_callables_and_results) {
  pool_.run([] {
    auto p = std::make_unique<int>(5);
    auto q = std::make_unique<int>(6);
    auto [a, b] = join([p = std::move(p)]() mutable { return std::move(p); },
                       [q = std::move(q)]() mutable { return std::move(q); });
    EXPECT_EQ(*a + *b, 11);
  });
}

TEST_P(join_with_workers, keeps_over_aligned_captures_and_results_aligned) {
  struct alignas(128) wide {
    std::array<char, 128> x{};
  };
  pool_.run([] {
    wide w;
    const auto aligned = [](const void* p) {
      return reinterpret_cast<std::uintptr_t>(p) % 128 == 0;
    };
    const auto r = join([w, aligned] { return aligned(&w); },
                        [w, aligned] {
                          EXPECT_TRUE(aligned(&w));
                          return w;
                        });
    EXPECT_TRUE(r.first);
    EXPECT_TRUE(aligned(&r.second));
  });
}

TEST_P(join_with_workers, finishes_the_second_branch_before_the_firsts_exception_leaves) {
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> finished{0};
    try {
      pool_.run([&] {
        join([]() -> int { throw std::runtime_error("first"); },
             [&] {
               fib(8);
               ++finished;
               return 1;
             });
      });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "first");
    }
    ASSERT_EQ(finished, 1);
  }
}

TEST_P(join_with_workers, rethrows_the_seconds_exception_after_the_first_is_finished) {
  for (int i = 0; i < 200; ++i) {
    int first = 0;
    EXPECT_THROW(pool_.run([&] {
      join([&] { first = static_cast<int>(fib(10)); }, [] { throw std::logic_error("second"); });
    }),
                 std::logic_error);
    ASSERT_EQ(first, 55);
  }
}

TEST_P(join_with_workers, prefers_the_firsts_exception_when_both_throw) {
  for (int i = 0; i < 200; ++i) {
    EXPECT_THROW(pool_.run([] {
      join([] { throw std::runtime_error("first"); }, [] { throw std::logic_error("second"); });
    }),
                 std::runtime_error);
  }
  EXPECT_EQ(pool_.run([] { return fib(10); }), 55);
}

long throwing_tree(int depth, int& alive) {
  if (depth == 0) throw std::runtime_error("leaf");
  const auto [a, b] = join([&] { return throwing_tree(depth - 1, alive); }, [&] { return fib(5); });
  return a + b;
}

TEST_P(join_with_workers, carries_an_exception_up_through_nested_joins) {
  int alive = 0;
  EXPECT_THROW(pool_.run([&] { return throwing_tree(100, alive); }), std::runtime_error);
}

TEST_P(join_with_workers, computes_the_same_with_and_without_a_context) {
  EXPECT_EQ(pool_.run([] { return fib(18); }), 2584);
  EXPECT_EQ(pool_.run([](context& c) { return context_fib(c, 18); }), 2584);
}

std::size_t chain(std::size_t depth) {
  if (depth == 0) return 0;
  const auto [below, one] =
      join([depth] { return chain(depth - 1); }, [] { return std::size_t{1}; });
  return below + one;
}

TEST_P(join_with_workers, goes_twenty_thousand_forks_deep_on_ordinary_stacks) {
  const std::size_t depth = nearfork::support::test_scale() < 1 ? 2'000 : 20'000;
  EXPECT_EQ(pool_.run([depth] { return chain(depth); }), depth);
}

TEST_P(join_with_workers, parallel_invoke_runs_each_of_its_callables_once) {
  pool_.run([] {
    std::array<std::atomic<int>, 7> ran{};
    nearfork::parallel_invoke();
    nearfork::parallel_invoke([&] { ++ran[0]; });
    nearfork::parallel_invoke([&] { ++ran[0]; }, [&] { ++ran[1]; }, [&] { ++ran[2]; },
                              [&] { ++ran[3]; }, [&] { ++ran[4]; }, [&] { ++ran[5]; },
                              [&](context&) { ++ran[6]; });
    EXPECT_EQ(ran[0], 2);
    for (std::size_t i = 1; i < 7; ++i) EXPECT_EQ(ran[i], 1);
    EXPECT_THROW(nearfork::parallel_invoke([] {}, [] { throw std::runtime_error("one"); }, [] {}),
                 std::runtime_error);
  });
}

INSTANTIATE_TEST_SUITE_P(, join_with_workers, ::testing::Values(1, 2, 8));

TEST(join_outside, works_in_the_default_pool) {
  EXPECT_EQ(fib(12), 144);
  EXPECT_EQ(nearfork::current_worker(), nearfork::npos);
  const auto [a, b] = join([] { return nearfork::current_worker(); }, [] { return 1; });
  EXPECT_LT(a, nearfork::default_pool().worker_count());
  EXPECT_EQ(b, 1);
}

}  // namespace
