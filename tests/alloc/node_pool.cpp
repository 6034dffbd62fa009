#include <cstring>
#include <limits>
#include <nearfork/detail/node_pool.hpp>
#include <thread>
#include <vector>

#include "here.hpp"
#include "marked.hpp"
#include "scale.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::alloc_tests;

TEST(node_pool, there_is_one_a_node) {
  EXPECT_EQ(&node_pool::of(here()), &node_pool::of(here()));
  EXPECT_NE(&node_pool::of(here()), &node_pool::of(any_node));
  EXPECT_EQ(node_pool::of(here()).node_os_id(), here());
}

TEST(node_pool, serves_zero_small_large_and_aligned_requests) {
  auto& pool = node_pool::of(here());
  for (const std::size_t bytes : {0UL, 1UL, 100UL, 8192UL, 131'072UL, 131'073UL, 3'000'000UL}) {
    for (const std::size_t alignment : {1UL, 8UL, 64UL, 4096UL, 1UL << 18}) {
      void* p = pool.allocate(bytes, alignment);
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
      std::memset(p, 0x5A, bytes);
      pool.deallocate(p, bytes, alignment);
    }
  }
  EXPECT_THROW((void)pool.allocate(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
}

TEST(node_pool, gives_everything_back_when_trimmed) {
  auto& pool = node_pool::of(here());
  pool.trim();
  const auto before = pool.statistics();
  std::vector<void*> all(3000);
  for (auto& p : all) p = pool.allocate(5000);
  EXPECT_GE(pool.statistics().bound + pool.statistics().unbound, all.size() * 5000);
  for (void* p : all) pool.deallocate(p, 5000);
  pool.trim();
  const auto after = pool.statistics();
  EXPECT_LE(after.bound + after.unbound, before.bound + before.unbound + (64 << 10));
}

TEST(node_pool, trimming_leaves_blocks_in_use_alone) {
  auto& pool = node_pool::of(here());
  std::vector<void*> kept;
  std::vector<void*> dropped;
  for (int i = 0; i < 20'000; ++i) {
    void* p = pool.allocate(200);
    mark(p, 200, 0x77);
    (i % 400 == 0 ? kept : dropped).push_back(p);
  }
  for (void* p : dropped) pool.deallocate(p, 200);
  pool.trim();
  for (void* p : kept) {
    unmark(p, 200, 0x77);
    ASSERT_FALSE(HasFatalFailure());
    pool.deallocate(p, 200);
  }
}

TEST(node_pool, says_where_its_memory_is) {
  NEARFORK_SKIP_UNLESS_BINDING();
  auto& pool = node_pool::of(here());
  std::vector<void*> all(500);
  for (auto& p : all) {
    p = pool.allocate(2000);
    std::memset(p, 1, 2000);
  }
  void* large = pool.allocate(1'000'000);
  std::memset(large, 1, 1'000'000);
  const auto now = pool.verify();
  EXPECT_EQ(now.unbound, 0U);
  EXPECT_GE(now.verified, all.size() * 2000 + 1'000'000);
  EXPECT_LE(now.verified, now.bound);
  EXPECT_EQ(now.elsewhere, 0U);
  for (void* p : all) pool.deallocate(p, 2000);
  pool.deallocate(large, 1'000'000);
  pool.trim();
  EXPECT_LE(pool.statistics().verified, pool.statistics().bound) << "what went is not counted";
}

TEST(node_pool, can_be_looked_at_and_trimmed_while_others_allocate) {
  auto& pool = node_pool::of(here());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&pool, t] {
      node_cache cache(here());
      std::vector<void*> mine(300);
      for (std::size_t round = 0; round < nearfork::support::scaled(100); ++round) {
        for (auto& p : mine) {
          p = t == 0 ? pool.allocate(700) : cache.allocate(700);
          mark(p, 700, static_cast<unsigned char>(t));
        }
        for (auto& p : mine) {
          unmark(p, 700, static_cast<unsigned char>(t));
          cache.deallocate(p, 700);
        }
        if (round % 10 == 0) cache.trim();
      }
    });
  for (int i = 0; i < 50; ++i) {
    const auto now = pool.verify();
    EXPECT_EQ(now.elsewhere, 0U);
    pool.trim();
  }
  for (auto& t : threads) t.join();
}

}  // namespace
