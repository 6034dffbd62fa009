// Arrays whose elements are made by workers of the owning nodes.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <nearfork/nearfork.hpp>
#include <numeric>
#include <set>
#include <string>

#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

using nearfork::numa_array;

TEST(numa_array, holds_value_initialised_elements_that_can_be_used_like_a_vectors) {
  nearfork::pool p(workers(2));
  numa_array<int> a(100'003, nearfork::block, p);
  ASSERT_EQ(a.size(), 100'003U);
  for (const int x : a) ASSERT_EQ(x, 0);
  std::iota(a.begin(), a.end(), 0);
  EXPECT_EQ(a[77], 77);
  EXPECT_EQ(a.span().back(), 100'002);
  EXPECT_EQ(a.span().data(), a.data());
}

TEST(numa_array, of_size_zero_is_empty_and_harmless) {
  nearfork::pool p(workers(2));
  for (const auto how : {nearfork::block, nearfork::interleaved, nearfork::on(0)}) {
    numa_array<std::string> a(0, how, p);
    EXPECT_TRUE(a.empty());
    EXPECT_TRUE(a.span().empty());
    EXPECT_TRUE(a.block(0).empty());
    EXPECT_THROW((void)a.node_of(0), std::out_of_range);
  }
}

TEST(numa_array, too_large_for_the_address_space_is_refused) {
  nearfork::pool p(workers(1));
  EXPECT_THROW(numa_array<double>(SIZE_MAX / 4, nearfork::block, p), std::bad_alloc);
  EXPECT_THROW(numa_array<double>(SIZE_MAX / 64, nearfork::block, p), std::bad_alloc);
}

TEST(numa_array, aligns_over_aligned_elements) {
  struct alignas(256) wide {
    std::uint64_t x = 7;
  };
  nearfork::pool p(workers(2));
  const numa_array<wide> a(1000, nearfork::interleaved, p);
  for (const wide& w : a) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&w) % 256, 0U);
    ASSERT_EQ(w.x, 7U);
  }
}

struct counted {
  static inline std::atomic<long> alive{0};
  static inline std::atomic<long> made{0};
  static inline std::atomic<long> fail_at{-1};
  static void reset(long at) {
    alive = 0;
    made = 0;
    fail_at = at;
  }
  counted() {
    if (made.fetch_add(1) == fail_at) throw std::runtime_error("element");
    ++alive;
  }
  ~counted() { --alive; }
  long payload = 3;
};

TEST(numa_array, makes_and_destroys_each_element_once) {
  nearfork::pool p(workers(3));
  counted::reset(-1);
  {
    const numa_array<counted> a(300'000, nearfork::block, p);
    EXPECT_EQ(counted::alive, 300'000);
    EXPECT_EQ(counted::made, 300'000);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(numa_array, destroys_what_was_made_when_a_constructor_throws_at_any_place) {
  nearfork::pool p(workers(3));
  for (const long at : {0L, 1L, 131'071L, 131'072L, 299'999L}) {
    counted::reset(at);
    EXPECT_THROW(numa_array<counted>(300'000, nearfork::block, p), std::runtime_error);
    EXPECT_EQ(counted::alive, 0) << "thrown at " << at;
  }
  EXPECT_EQ(p.run([] { return 5; }), 5);
}

TEST(numa_array, says_which_node_an_element_belongs_to) {
  nearfork::pool p(workers(2));
  const numa_array<double> a(1'000'000, nearfork::interleaved, p);
  for (std::size_t i = 0; i < a.size(); i += 997) EXPECT_LT(a.node_of(i), p.node_count());
  EXPECT_THROW((void)a.node_of(a.size()), std::out_of_range);
  EXPECT_THROW((void)a.block(p.node_count()), std::out_of_range);
  EXPECT_THROW(numa_array<int>(5, nearfork::on(p.node_count()), p), std::out_of_range);
}

TEST(numa_array, reports_every_page_where_the_kernel_says_it_is) {
  nearfork::pool p(workers(2));
  const numa_array<double> a(2'000'000, nearfork::block, p);
  const nearfork::array_placement where = a.placement();
  const std::size_t seen = where.as_planned + where.elsewhere + where.unknown;
  EXPECT_GE(seen, 2'000'000 * sizeof(double) / 4096);
  EXPECT_EQ(where.untouched, 0U);
  EXPECT_EQ(where.pages.size(), p.node_count());
}

TEST(numa_array, can_be_made_inside_a_task_of_its_pool) {
  nearfork::pool p(workers(1));
  EXPECT_EQ(p.run([] {
    numa_array<int> a(200'000);
    nearfork::morsel_for(a, 1000, [](std::span<int> s) {
      for (int& x : s) x = 1;
    });
    return std::accumulate(a.begin(), a.end(), 0);
  }),
            200'000);
}

}  // namespace
