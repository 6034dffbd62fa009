#include <atomic>
#include <mutex>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/detail/remote_list.hpp>
#include <random>
#include <thread>
#include <vector>

#include "here.hpp"
#include "marked.hpp"
#include "scale.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::alloc_tests;
using nearfork::support::scaled;

struct parcel {
  void* p;
  std::size_t bytes;
  unsigned char pattern;
};

/// Where threads leave blocks for each other.
class mailbox {
 public:
  void put(const parcel& one) {
    const std::lock_guard guard(lock_);
    parcels_.push_back(one);
  }
  bool take(parcel& one) {
    const std::lock_guard guard(lock_);
    if (parcels_.empty()) return false;
    one = parcels_.back();
    parcels_.pop_back();
    return true;
  }

 private:
  std::mutex lock_;
  std::vector<parcel> parcels_;
};

TEST(remote_list, every_pushed_block_is_taken_exactly_once) {
  constexpr std::size_t pushers = 4;
  const std::size_t each = scaled(400'000);
  std::vector<std::vector<free_block>> blocks(pushers, std::vector<free_block>(each));
  std::vector<std::vector<int>> seen(pushers, std::vector<int>(each, 0));
  remote_list list;
  std::atomic<std::size_t> running{pushers};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < pushers; ++t)
    threads.emplace_back([&, t] {
      for (auto& block : blocks[t]) list.push(&block);
      running.fetch_sub(1);
    });
  std::size_t taken = 0;
  while (taken < pushers * each) {
    const bool all_pushed = running.load() == 0;
    free_block* block = list.take_all();
    ASSERT_TRUE(block != nullptr || !all_pushed || taken == pushers * each) << "blocks were lost";
    for (; block != nullptr; ++taken) {
      free_block* next = block->next;
      for (std::size_t t = 0; t < pushers; ++t)
        if (block >= blocks[t].data() && block < blocks[t].data() + each)
          ++seen[t][static_cast<std::size_t>(block - blocks[t].data())];
      block = next;
    }
  }
  for (auto& t : threads) t.join();
  EXPECT_TRUE(list.empty());
  for (const auto& of_thread : seen)
    for (const int n : of_thread) ASSERT_EQ(n, 1);
}

TEST(remote_frees, a_block_freed_elsewhere_comes_home_and_is_used_again) {
  node_cache owner(here());
  std::vector<void*> first(2000);
  for (auto& p : first) p = owner.allocate(64);
  const auto before = owner.statistics();
  std::thread([&] {
    node_cache other(here());
    for (void* p : first) other.deallocate(p, 64);
  }).join();
  for (auto& p : first) p = owner.allocate(64);
  const auto after = owner.statistics();
  EXPECT_EQ(after.bound + after.unbound, before.bound + before.unbound);
  for (void* p : first) owner.deallocate(p, 64);
}

TEST(remote_frees, collecting_and_trimming_take_in_what_others_freed) {
  node_cache owner(here());
  std::vector<void*> all(2000);
  for (auto& p : all) p = owner.allocate(512);
  std::thread([&] {
    for (void* p : all) return_memory(p, 512);
  }).join();
  owner.collect();
  owner.trim();
  const auto after = owner.statistics();
  EXPECT_EQ(after.bound + after.unbound, 0U);
}

// Everybody allocates, and frees what others have allocated.
void exchange_blocks(std::size_t threads_count, std::size_t rounds, bool with_caches) {
  std::vector<mailbox> boxes(threads_count);
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < threads_count; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      auto& pool = node_pool::of(here());
      node_cache cache(here());
      parcel one{};
      for (std::size_t i = 0; i < rounds && !failed; ++i) {
        one.bytes = 16 + random() % (random() % 100 == 0 ? 20'000 : 300);
        one.pattern = static_cast<unsigned char>(random());
        one.p = with_caches ? cache.allocate(one.bytes) : pool.allocate(one.bytes);
        mark(one.p, one.bytes, one.pattern);
        boxes[random() % threads_count].put(one);
        while (boxes[t].take(one)) {
          unmark(one.p, one.bytes, one.pattern);
          if (with_caches && random() % 8 != 0)
            cache.deallocate(one.p, one.bytes);
          else
            pool.deallocate(one.p, one.bytes);
        }
        if (testing::Test::HasFatalFailure()) failed = true;
      }
    });
  for (auto& t : threads) t.join();
  for (auto& box : boxes)
    for (parcel one; box.take(one);) {
      unmark(one.p, one.bytes, one.pattern);
      return_memory(one.p, one.bytes);
    }
  // All blocks are back, so the pool can give everything to the system but the states of its
  // caches.
  auto& pool = node_pool::of(here());
  pool.trim();
  const auto left = pool.statistics();
  EXPECT_LT(left.bound + left.unbound, std::size_t{1} << 20);
}

TEST(remote_frees, between_caches_hand_out_every_block_to_one_user_at_a_time) {
  exchange_blocks(4, scaled(20'000), true);
}

TEST(remote_frees, between_threads_without_caches_do_too) {
  exchange_blocks(4, scaled(20'000), false);
}

TEST(remote_frees, may_race_with_the_end_of_the_owner) {
  mailbox box;
  std::atomic<bool> done{false};
  std::thread consumer([&] {
    node_cache cache(here());
    parcel one{};
    for (;;) {
      const bool last = done.load();
      while (box.take(one)) {
        unmark(one.p, one.bytes, one.pattern);
        cache.deallocate(one.p, one.bytes);
      }
      if (last) break;
    }
  });
  std::vector<std::thread> producers;
  for (unsigned t = 0; t < 2; ++t)
    producers.emplace_back([&box, t] {
      std::mt19937 random(t);
      for (std::size_t life = 0; life < scaled(300); ++life) {
        node_cache cache(here());
        for (int i = 0; i < 40; ++i) {
          const std::size_t bytes = 16 + random() % 2000;
          const parcel one{cache.allocate(bytes), bytes, static_cast<unsigned char>(random())};
          mark(one.p, one.bytes, one.pattern);
          box.put(one);
        }
      }
    });
  for (auto& t : producers) t.join();
  done = true;
  consumer.join();
  auto& pool = node_pool::of(here());
  pool.trim();
  const auto left = pool.statistics();
  EXPECT_LT(left.bound + left.unbound, std::size_t{1} << 20);
}

}  // namespace
