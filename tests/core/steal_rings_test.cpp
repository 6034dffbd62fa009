// Each steal is counted under the ring that its victim is in.
#include <gtest/gtest.h>

#include <atomic>
#include <nearfork/nearfork.hpp>
#include <thread>

namespace {

class steal_rings : public ::testing::TestWithParam<nearfork::steal_policy> {};

/// Forces steals, also from the worker that runs what a join waits for.
void tree(int depth) {
  if (depth == 0) return std::this_thread::yield();
  nearfork::join([depth] { tree(depth - 1); }, [depth] { tree(depth - 1); });
}

TEST_P(steal_rings, no_attempt_is_counted_in_a_ring_without_workers) {
  nearfork::pool_options o;
  o.workers = 3;
  o.steal = GetParam();
  nearfork::pool p(o);
  for (int i = 0; i < 50; ++i) p.run([] { tree(8); });
  const nearfork::statistics s = p.stats();
  EXPECT_GT(s.total.total_attempts(), 0U);
  for (std::size_t w = 0; w < p.worker_count(); ++w) {
    const nearfork::victim_rings& rings = p.plan().victims[w];
    const bool there[] = {!rings.smt.empty(), !rings.cache.empty(), !rings.node.empty(),
                          !rings.remote.empty()};
    for (std::size_t r = 0; r < nearfork::ring_count; ++r) {
      if (there[r]) continue;
      EXPECT_EQ(s.workers[w].steal_attempts[r], 0U) << "worker " << w << ", ring " << r;
      EXPECT_EQ(s.workers[w].steals[r], 0U) << "worker " << w << ", ring " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, steal_rings,
                         ::testing::Values(nearfork::steal_policy::nearest,
                                           nearfork::steal_policy::random));

}  // namespace
