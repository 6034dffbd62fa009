#include <array>
#include <atomic>
#include <memory>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <random>
#include <thread>
#include <vector>

#include "here.hpp"
#include "scale.hpp"

// Memory stays within 5 % of what it was once the job's pattern has been seen. The system's view of
// it (chunks mapped) moves in steps of 2 MiB, hence the allowance.

namespace {

using namespace nearfork::detail;
using nearfork::alloc_tests::here;
using nearfork::support::scaled;

std::uint64_t mapped() {
  const auto t = node_pool::of(here()).statistics();
  return t.bound + t.unbound;
}

void expect_flat(std::uint64_t early, std::uint64_t late) {
  EXPECT_LE(late, early + early / 20 + chunk_bytes);
}

struct taken {
  void* p = nullptr;
  std::size_t bytes = 0;
};

std::size_t mixed_size(std::mt19937& random) {
  switch (random() % 16) {
    case 0:
      return random() % 100'000;
    case 1:
    case 2:
      return random() % 8000;
    default:
      return random() % 500;
  }
}

TEST(flat_memory, over_a_million_mixed_allocations) {
  node_cache cache(here());
  std::mt19937 random(7);
  std::vector<taken> all(2000);
  const std::size_t n = scaled(1'000'000);
  std::uint64_t early = 0;
  for (std::size_t i = 0; i < n; ++i) {
    taken& t = all[random() % all.size()];
    if (t.p != nullptr) cache.deallocate(t.p, t.bytes);
    t.bytes = mixed_size(random);
    t.p = cache.allocate(t.bytes);
    if (i == n / 5) early = mapped();
  }
  expect_flat(early, mapped());
  for (const taken& t : all)
    if (t.p != nullptr) cache.deallocate(t.p, t.bytes);
}

TEST(flat_memory, when_one_thread_allocates_and_another_frees) {
  constexpr std::size_t slots = 1024;  // at most as many blocks are out
  std::array<std::atomic<void*>, slots> ring{};
  const std::size_t n = scaled(400'000);
  std::thread consumer([&] {
    node_cache cache(here());
    for (std::size_t i = 0; i < n; ++i) {
      void* p = nullptr;
      while ((p = ring[i % slots].exchange(nullptr, std::memory_order_acquire)) == nullptr)
        std::this_thread::yield();
      cache.deallocate(p, 64 + i % 512);
    }
  });
  std::uint64_t early = 0;
  {
    node_cache cache(here());
    for (std::size_t i = 0; i < n; ++i) {
      void* p = cache.allocate(64 + i % 512);
      while (ring[i % slots].load(std::memory_order_acquire) != nullptr) std::this_thread::yield();
      ring[i % slots].store(p, std::memory_order_release);
      if (i == n / 5) early = mapped();
    }
    expect_flat(early, mapped());
    consumer.join();
  }
  expect_flat(early, mapped());
}

TEST(flat_memory, over_a_thousand_caches_created_used_and_destroyed) {
  std::uint64_t early = 0;
  for (int life = 0; life < 1000; ++life) {
    node_cache a(here());
    node_cache b(here());
    std::vector<void*> blocks(200);
    for (auto& p : blocks) p = a.allocate(300);
    for (std::size_t i = 0; i < blocks.size(); ++i) (i % 2 == 0 ? a : b).deallocate(blocks[i], 300);
    if (life == 10) early = mapped();
  }
  EXPECT_EQ(mapped(), early) << "every cache took over what the one before had";
}

TEST(flat_memory, phases_of_different_sizes_use_each_others_memory) {
  node_cache cache(here());
  std::vector<void*> blocks;
  std::uint64_t early = 0;
  for (int round = 0; round < 4; ++round) {
    for (const std::size_t bytes : {32UL, 100UL, 700UL, 2000UL, 5000UL}) {
      blocks.resize((8 << 20) / bytes);
      for (auto& p : blocks) p = cache.allocate(bytes);
      for (auto& p : blocks) cache.deallocate(p, bytes);
      if (early == 0) early = mapped();
      expect_flat(early, mapped() > chunk_bytes ? mapped() - chunk_bytes : 0);
    }
  }
}

TEST(flat_memory, what_idle_caches_were_given_back_is_found_before_more_is_asked_for) {
  auto& pool = node_pool::of(here());
  pool.trim();
  const auto before = mapped();
  std::vector<void*> blocks(60'000);
  {
    // More caches end after it, so that nobody below happens to adopt just this one.
    std::vector<std::unique_ptr<node_cache>> others(20);
    for (auto& other : others) other = std::make_unique<node_cache>(here());
    node_cache ended(here());
    for (auto& p : blocks) p = ended.allocate(128);
  }
  const auto peak = mapped();
  ASSERT_GT(peak, before + 2 * chunk_bytes);
  for (void* p : blocks) return_memory(p, 128);  // to a cache that nobody uses
  std::vector<void*> more(60'000);
  for (auto& p : more) p = pool.allocate(96);  // from a shard
  EXPECT_LE(mapped(), peak + chunk_bytes);
  for (void* p : more) pool.deallocate(p, 96);
  pool.trim();
  EXPECT_LE(mapped(), before + (512 << 10)) << "nothing stays but the states of caches";
}

}  // namespace
