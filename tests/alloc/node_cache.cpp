#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <random>
#include <set>
#include <vector>

#include "here.hpp"
#include "marked.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::alloc_tests;

struct taken {
  void* p;
  std::size_t bytes;
  std::size_t alignment;
  unsigned char pattern;
};

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
std::uint64_t held(const page_totals& t) { return t.bound + t.unbound; }

TEST(node_cache, blocks_are_aligned_and_do_not_overlap) {
  node_cache cache(here());
  std::vector<taken> all;
  std::mt19937 random(1);
  for (std::size_t alignment = 1; alignment <= 1 << 20; alignment *= 2) {
    for (const std::size_t bytes :
         {0UL, 1UL, 15UL, 16UL, 17UL, 63UL, 64UL, 65UL, 100UL, 200UL, 1000UL, 1024UL, 3000UL,
          8192UL, 8193UL, 20'000UL, 131'072UL, 131'073UL, 300'000UL}) {
      for (int i = 0; i < 4; ++i) {
        void* p = cache.allocate(bytes, alignment);
        ASSERT_NE(p, nullptr);
        ASSERT_EQ(address(p) % alignment, 0U) << bytes << " aligned to " << alignment;
        ASSERT_EQ(address(p) % min_alignment, 0U);
        const auto pattern = static_cast<unsigned char>(random());
        std::memset(p, pattern, bytes);
        all.push_back({p, bytes, alignment, pattern});
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const taken& a, const taken& b) { return address(a.p) < address(b.p); });
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_LT(address(all[i - 1].p), address(all[i].p)) << "also empty ones have their own address";
    ASSERT_LE(address(all[i - 1].p) + all[i - 1].bytes, address(all[i].p));
  }
  std::shuffle(all.begin(), all.end(), random);
  for (const taken& t : all) {
    const auto* c = static_cast<const unsigned char*>(t.p);
    ASSERT_TRUE(std::all_of(c, c + t.bytes, [&](unsigned char x) { return x == t.pattern; }));
    cache.deallocate(t.p, t.bytes, t.alignment);
  }
  cache.trim();
  EXPECT_EQ(held(cache.statistics()), 0U);
}

TEST(node_cache, a_freed_block_is_the_next_one_taken) {
  node_cache cache(here());
  for (const std::size_t bytes : {1UL, 64UL, 1000UL, 10'000UL}) {
    void* first = cache.allocate(bytes);
    cache.deallocate(first, bytes);
    void* second = cache.allocate(bytes);
    EXPECT_EQ(first, second);
    cache.deallocate(second, bytes);
  }
}

TEST(node_cache, impossible_sizes_are_refused_and_nothing_is_lost) {
  node_cache cache(here());
  const auto before = held(node_pool::of(here()).statistics());
  for (const auto bytes : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 62})
    EXPECT_THROW((void)cache.allocate(bytes), std::bad_alloc);
  EXPECT_EQ(held(node_pool::of(here()).statistics()), before);
  void* p = cache.allocate(100);
  EXPECT_NE(p, nullptr);
  cache.deallocate(p, 100);
}

TEST(node_cache, mixed_sizes_in_random_order_keep_their_contents) {
  node_cache cache(here());
  std::mt19937 random(2);
  std::vector<taken> all;
  for (int i = 0; i < 60'000; ++i) {
    if (all.empty() || random() % 100 < 52) {
      const auto bytes = std::size_t{16} + random() % (random() % 50 == 0 ? 200'000 : 600);
      taken t{cache.allocate(bytes), bytes, min_alignment, static_cast<unsigned char>(random())};
      mark(t.p, t.bytes, t.pattern);
      all.push_back(t);
    } else {
      std::swap(all[random() % all.size()], all.back());
      unmark(all.back().p, all.back().bytes, all.back().pattern);
      cache.deallocate(all.back().p, all.back().bytes);
      all.pop_back();
    }
    ASSERT_FALSE(HasFatalFailure());
  }
  for (const taken& t : all) {
    unmark(t.p, t.bytes, t.pattern);
    cache.deallocate(t.p, t.bytes);
  }
  cache.trim();
  EXPECT_EQ(held(cache.statistics()), 0U) << "all slabs went back";
}

TEST(node_cache, slabs_that_are_empty_again_go_back_to_the_pool) {
  node_cache cache(here());
  std::vector<void*> all(20'000);
  for (auto& p : all) p = cache.allocate(256);
  const auto most = held(cache.statistics());
  EXPECT_GE(most, all.size() * 256);
  for (auto& p : all) cache.deallocate(p, 256);
  EXPECT_LT(held(cache.statistics()), most / 4) << "without being asked";
  cache.trim();
  EXPECT_EQ(held(cache.statistics()), 0U);
}

TEST(node_cache, memory_is_bound_and_seen_on_the_node) {
  NEARFORK_SKIP_UNLESS_BINDING();
  node_cache cache(here());
  std::vector<void*> all(5000);
  for (auto& p : all) p = cache.allocate(128);
  const auto now = cache.statistics();
  EXPECT_EQ(now.unbound, 0U);
  EXPECT_GE(now.bound, all.size() * 128);
  EXPECT_GE(now.verified, now.bound / 2) << "slabs that were used up were looked at";
  EXPECT_EQ(now.elsewhere, 0U);
  for (auto& p : all) {
    EXPECT_EQ(look_at_pages(p, 128, here()).elsewhere, 0U);
    cache.deallocate(p, 128);
  }
}

TEST(node_cache, blocks_survive_the_end_of_their_cache) {
  std::vector<void*> all;
  {
    node_cache cache(here());
    for (unsigned i = 0; i < 3000; ++i) {
      all.push_back(cache.allocate(48));
      mark(all.back(), 48, static_cast<unsigned char>(i));
    }
  }
  node_cache next(here());
  for (unsigned i = 0; i < 3000; ++i) {
    unmark(all[i], 48, static_cast<unsigned char>(i));
    // From a cache that may have adopted them, and from a thread that has none.
    if (i % 2 == 0)
      next.deallocate(all[i], 48);
    else
      return_memory(all[i], 48);
    ASSERT_FALSE(HasFatalFailure());
  }
  next.trim();
  EXPECT_EQ(held(next.statistics()), 0U) << "the next cache took over what the first one left";
}

TEST(node_cache, use_of_a_freed_block_is_reported_by_address_sanitizer) {
  if (!library_poisons) GTEST_SKIP() << "not built with AddressSanitizer";
  node_cache cache(here());
  auto* p = static_cast<volatile char*>(cache.allocate(100));
  auto* q = static_cast<volatile char*>(cache.allocate(100));
  p[20] = 1;
  cache.deallocate(const_cast<char*>(p), 100);
  EXPECT_DEATH(p[20] = 1, "use-after-poison");
  EXPECT_DEATH(q[120] = 1, "use-after-poison") << "beyond the block, where no other is in use";
  cache.deallocate(const_cast<char*>(q), 100);
}

TEST(node_cache, without_a_node_works_the_same_unbound) {
  node_cache cache;
  EXPECT_EQ(cache.node_os_id(), any_node);
  void* p = cache.allocate(100);
  std::memset(p, 1, 100);
  EXPECT_EQ(cache.statistics().bound, 0U);
  EXPECT_GT(cache.statistics().unbound, 0U);
  cache.deallocate(p, 100);
}

}  // namespace
