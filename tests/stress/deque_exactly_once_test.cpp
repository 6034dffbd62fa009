// One owner against thieves: every task is taken exactly once.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "deque_fixture.hpp"
#include "scale.hpp"
#include "sleep/futex.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::support;

struct setting {
  bool asymmetric;
  int thieves;
  std::int64_t capacity;
};

class exactly_once : public ::testing::TestWithParam<setting> {};

/// Thieves steal, ask and revoke until told to stop.
class band {
 public:
  band(owner& d, reclaimer& r, int n) {
    for (int i = 0; i < n; ++i) records_.push_back(std::make_unique<epoch_record>(r.clock));
    for (const auto& record : records_) r.readers.push_back(record.get());
    for (const auto& record : records_) {
      threads_.emplace_back([this, &d, &rec = *record] {
        thief t = d.thief();
        for (unsigned round = 1;; ++round) {
          const bool last = stop_.load(std::memory_order_acquire);
          item* got = nullptr;
          const steal_result result = t.steal(got, rec);
          if (result == steal_result::task) {
            got->taken.fetch_add(1, std::memory_order_relaxed);
            stolen_.fetch_add(1, std::memory_order_relaxed);
          } else if (result == steal_result::empty) {
            if (last) return;
            t.request();
            if (round % 64 == 0) t.revoke();
            if (round % 16 == 0) std::this_thread::yield();
          }
        }
      });
    }
  }
  /// Returns the number stolen.
  long finish() {
    stop_.store(true, std::memory_order_release);
    for (std::thread& t : threads_) t.join();
    return stolen_.load();
  }

 private:
  std::vector<std::unique_ptr<epoch_record>> records_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
  std::atomic<long> stolen_{0};
};

TEST_P(exactly_once, three_million_items_pushed_and_popped_in_bursts) {
  const auto n = scaled(3'000'000);
  std::vector<item> items(n);
  reclaimer r;
  const bool asymmetric = GetParam().asymmetric && heavy_barrier_available();
  owner d(GetParam().capacity, asymmetric, r);
  band thieves(d, r, GetParam().thieves);
  unsigned random = 12345;
  for (std::size_t next = 0; next < n;) {
    random = random * 1'664'525U + 1'013'904'223U;
    for (unsigned k = (random >> 8) % 300; k > 0 && next < n; --k) d.push(&items[next++]);
    for (unsigned k = (random >> 20) % 300; k > 0; --k) {
      item* const got = d.pop();
      if (got == nullptr) break;
      got->taken.fetch_add(1, std::memory_order_relaxed);
    }
    if ((random >> 16) % 64 == 0) d.shrink();
  }
  while (item* const got = d.pop()) got->taken.fetch_add(1, std::memory_order_relaxed);
  thieves.finish();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(items[i].taken, 1) << "item " << i;
}

TEST_P(exactly_once, the_last_item_raced_for_again_and_again) {
  const auto n = scaled(3'000'000);
  std::vector<item> items(n);
  reclaimer r;
  const bool asymmetric = GetParam().asymmetric && heavy_barrier_available();
  owner d(GetParam().capacity, asymmetric, r);
  band thieves(d, r, GetParam().thieves);
  for (item& i : items) {
    d.push(&i);
    if (!d.pop_expected(&i)) {
      // Newest is ours or stolen; nothing else is there.
      if (item* const got = d.pop()) got->taken.fetch_add(1, std::memory_order_relaxed);
    } else {
      i.taken.fetch_add(1, std::memory_order_relaxed);
    }
  }
  thieves.finish();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(items[i].taken, 1) << "item " << i;
}

TEST_P(exactly_once, only_pushing_against_a_stampede) {
  const auto n = scaled(1'000'000);
  std::vector<item> items(n);
  reclaimer r;
  const bool asymmetric = GetParam().asymmetric && heavy_barrier_available();
  owner d(GetParam().capacity, asymmetric, r);
  band thieves(d, r, GetParam().thieves);
  for (item& i : items) d.push(&i);
  d.publish_all();
  EXPECT_EQ(thieves.finish(), static_cast<long>(n));
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(items[i].taken, 1) << "item " << i;
}

INSTANTIATE_TEST_SUITE_P(, exactly_once,
                         ::testing::Values(setting{true, 1, 2}, setting{true, 3, 2},
                                           setting{true, 3, 1024}, setting{false, 3, 2},
                                           setting{true, 7, 4}),
                         [](const auto& i) {
                           return std::string(i.param.asymmetric ? "private_tail" : "all_public") +
                                  "_" + std::to_string(i.param.thieves) + "_thieves_capacity_" +
                                  std::to_string(i.param.capacity);
                         });

}  // namespace
