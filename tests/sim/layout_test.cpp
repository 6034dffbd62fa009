#include "layout.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "plans.hpp"
#include "shared_topologies.hpp"

namespace {

using namespace nearfork::sim;
using sim_test::plan_of;
using sim_test::three_nodes;
using sim_test::two_nodes;

// Every other worker exactly once, and the index into the groups agrees with the groups.
void expect_complete(const layout& l) {
  for (std::uint32_t thief = 0; thief < l.workers(); ++thief) {
    std::vector<int> seen(l.workers(), 0);
    ring last = ring::smt;
    for (std::size_t g = 0; g < l.victims[thief].size(); ++g) {
      const victim_group& group = l.victims[thief][g];
      EXPECT_FALSE(group.members.empty());
      EXPECT_GE(group.where, last) << "nearest first";
      EXPECT_GE(group.scale, 1.0);
      last = group.where;
      for (const std::uint32_t victim : group.members) {
        ++seen[victim];
        EXPECT_EQ(l.group_of[thief][victim], g);
        if (l.machine) {
          EXPECT_EQ(group.where == ring::remote, l.node_of[thief] != l.node_of[victim]);
        }
      }
    }
    for (std::uint32_t w = 0; w < l.workers(); ++w) {
      EXPECT_EQ(seen[w], w == thief ? 0 : 1) << l.source << ": " << thief << " and " << w;
    }
  }
}

TEST(Layout, WithoutAMachineAllOthersAreAlike) {
  for (const std::size_t workers : {1U, 2U, 5U}) {
    const layout l = flat_layout(workers);
    EXPECT_EQ(l.workers(), workers);
    EXPECT_FALSE(l.machine);
    EXPECT_EQ(l.occupied, std::vector<std::uint32_t>{0});
    EXPECT_EQ(l.victims[0].size(), workers == 1 ? 0U : 1U);
    expect_complete(l);
  }
}

TEST(Layout, RemoteGroupsAreScaledByTheirDistance) {
  const layout l = layout_of(three_nodes());
  expect_complete(l);
  ASSERT_EQ(l.victims[0].size(), 2U);
  EXPECT_DOUBLE_EQ(l.victims[0][0].scale, 1.0);   // 20: the machine's smallest between two nodes
  EXPECT_DOUBLE_EQ(l.victims[0][1].scale, 1.5);   // 30
  EXPECT_DOUBLE_EQ(l.victims[1][1].scale, 1.25);  // 25
  EXPECT_DOUBLE_EQ(l.excess[0][0], 0.0);
  EXPECT_DOUBLE_EQ(l.excess[0][1], 1.0);
  EXPECT_DOUBLE_EQ(l.excess[0][2], 2.0);
  EXPECT_DOUBLE_EQ(l.excess[1][2], 1.5);
}

TEST(Layout, StepsInTheTreeAreNotTakenForLatencies) {
  auto plan = three_nodes();
  plan.latency_matrix = false;
  const layout l = layout_of(plan);
  EXPECT_DOUBLE_EQ(l.victims[0][1].scale, 1.0);
  EXPECT_DOUBLE_EQ(l.excess[0][2], 1.0);
  EXPECT_DOUBLE_EQ(l.excess[2][2], 0.0);
}

TEST(Layout, AMatrixThatCannotBeDistancesIsLeftOut) {
  for (const auto& distances : {std::vector<std::vector<std::uint64_t>>{},
                                {{10, 20, 30}},
                                {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}},
                                {{10, 20}, {20, 10}, {30, 25}}}) {
    auto plan = three_nodes();
    plan.distances = distances;
    const layout l = layout_of(plan);
    EXPECT_DOUBLE_EQ(l.victims[0][1].scale, 1.0);
    EXPECT_DOUBLE_EQ(l.excess[0][2], 1.0);
  }
}

TEST(Layout, NodesWithoutWorkersAreNotOccupied) {
  EXPECT_EQ(layout_of(two_nodes()).occupied, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Layout, RingsOfSyntheticMachinesHoldEveryOtherWorkerOnce) {
  for (const char* machine :
       {"numa:1 core:1 pu:1", "numa:2 core:4 pu:2", "numa:4 l3:2 core:4 pu:1"}) {
    expect_complete(layout_of(plan_of(machine)));
  }
}

TEST(Layout, RingsOfRealMachinesHoldEveryOtherWorkerOnce) {
  const auto files = nearfork::support::shared_topologies();
  if (files.empty()) GTEST_SKIP() << nearfork::support::no_shared_topologies;
  for (const auto& file : files) expect_complete(layout_of(plan_of(file.string())));
}

}  // namespace
