// Machines of every shape, from the smallest to those beyond any fixed-size mask.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

TEST(SyntheticMachines, ASinglePuHasOneWorkerAndNoVictims) {
  const placement p = plan("numa:1 core:1 pu:1");
  expect_sound(p);
  ASSERT_EQ(p.workers.size(), 1U);
  EXPECT_TRUE(p.victims[0].smt.empty());
  EXPECT_TRUE(p.victims[0].remote.empty());
  EXPECT_TRUE(p.warnings.empty());
}

TEST(SyntheticMachines, WithoutCoresEachPuIsOne) {
  const placement p = plan("numa:2 pu:3");
  expect_sound(p);
  EXPECT_EQ(p.workers.size(), 6U);
}

TEST(SyntheticMachines, MachinesOf1280PusArePlanned) {
  const placement p = plan("pack:8 l3:5 core:16 pu:2");
  expect_sound(p);
  EXPECT_EQ(p.allowed_pus.size(), 1280U);
  EXPECT_EQ(p.workers.size(), 640U);
}

TEST(SyntheticMachines, MachinesOf1280CoresArePlanned) {
  const placement p = plan("numa:20 l3:4 core:16 pu:1");
  ASSERT_EQ(p.workers.size(), 1280U);
  EXPECT_EQ(workers_by_node(p), std::vector<std::size_t>(20, 64));
  for (worker_index w = 0; w < 1280; w += 97) {
    EXPECT_EQ(p.victims[w].cache.size(), 15U);
    EXPECT_EQ(p.victims[w].node.size(), 48U);
    ASSERT_EQ(p.victims[w].remote.size(), 1U);
    EXPECT_EQ(p.victims[w].remote[0].size(), 1216U);
  }
}

TEST(SyntheticMachines, IdsBeyond1024ArePlanned) {
  const placement p = plan("numa:2 core:2 pu:2(indexes=1023,1024,1025,2047,2048,4095,4096,8191)");
  expect_sound(p);
  EXPECT_EQ(p.allowed_pus, (ids{1023, 1024, 1025, 2047, 2048, 4095, 4096, 8191}));
  EXPECT_EQ(sorted(planned_cpus(p)), (ids{1023, 1025, 2048, 4096}));
  EXPECT_EQ(p.workers[1].binding, (ids{2048, 4095}));
}

TEST(SyntheticMachines, AMaskOfIdsBeyond1024IsObeyed) {
  fake_native m("numa:2 core:2 pu:2(indexes=1023,1024,1025,2047,2048,4095,4096,8191)");
  const placement p = plan(m.mask({1024, 8191}).get());
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), (ids{1024, 8191}));
}

TEST(SyntheticMachines, CachesWithinANodeAreTheCacheRing) {
  const placement p = plan("numa:2 l3:2 core:4 pu:1");
  expect_sound(p);
  for (const victim_rings& rings : p.victims) {
    EXPECT_EQ(rings.cache.size(), 3U);
    EXPECT_EQ(rings.node.size(), 4U);
    ASSERT_EQ(rings.remote.size(), 1U);
    EXPECT_EQ(rings.remote[0].size(), 8U);
  }
}

TEST(SyntheticMachines, ACacheThatSpansNodesIsCutAtTheirBorders) {
  const placement p = plan("l3:1 numa:2 core:2 pu:1");
  expect_sound(p);
  for (const victim_rings& rings : p.victims) {
    EXPECT_EQ(rings.cache.size(), 1U);
    EXPECT_TRUE(rings.node.empty());
    ASSERT_EQ(rings.remote.size(), 1U);
    EXPECT_EQ(rings.remote[0].size(), 2U);
  }
}

TEST(SyntheticMachines, WithoutL3ASharedL2IsTheCacheRing) {
  const placement p = plan("numa:1 l2:4 core:2 pu:1");
  expect_sound(p);
  for (const victim_rings& rings : p.victims) EXPECT_EQ(rings.cache.size(), 1U);
}

TEST(SyntheticMachines, DistancesFollowTheTreeWhereNothingIsMeasured) {
  const placement p = plan("pack:2 numa:2 core:1 pu:1");
  expect_sound(p);
  EXPECT_FALSE(p.latency_matrix);
  ASSERT_EQ(p.distances.size(), 4U);
  EXPECT_EQ(p.distances[0], (std::vector<std::uint64_t>{10, 20, 30, 30}));
  EXPECT_EQ(p.distances[3], (std::vector<std::uint64_t>{30, 30, 20, 10}));
  for (const victim_rings& rings : p.victims) {
    ASSERT_EQ(rings.remote.size(), 2U);
    EXPECT_EQ(rings.remote[0].size(), 1U);
    EXPECT_EQ(rings.remote[1].size(), 2U);
  }
}

TEST(SyntheticMachines, UnevenNestingStillHasOneWorkerPerCore) {
  for (const auto& [text, workers] :
       {std::pair{"pack:2 die:2 numa:1 l3:3 core:2 pu:4", 24U},
        {"group:4 numa:2 pack:1 core:1 pu:1", 8U},
        {"pu:7", 7U},
        {"core:5 pu:1", 5U},
        {"numa:64 pu:1", 64U},
        {"pack:3 [numa(memory=1GB)] [numa(memory=2GB)] core:2 pu:2", 6U}}) {
    const placement p = plan(text);
    expect_sound(p);
    EXPECT_EQ(p.workers.size(), workers) << text;
  }
}

}  // namespace
}  // namespace nearfork::tests
