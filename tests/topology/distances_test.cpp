// Rings grow by the latencies from the worker's own node.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

machine_xml nodes_of_one_core(std::size_t count) {
  std::vector<part> packages;
  for (std::size_t n = 0; n < count; ++n) packages.push_back(package(n, {node(n), core(n, {n})}));
  return machine_xml(std::move(packages));
}

// The nodes (os ids) of a worker's remote ring.
std::vector<ids> remote_nodes(const placement& p, std::size_t node_os_id) {
  for (const worker_place& w : p.workers) {
    if (p.nodes[w.node].os_id != node_os_id) continue;
    std::vector<ids> groups;
    for (const auto& group : p.victims[w.id].remote) {
      ids nodes;
      for (const worker_index v : group) nodes.push_back(p.nodes[p.workers[v].node].os_id);
      groups.push_back(sorted(nodes));
    }
    return groups;
  }
  return {};
}

TEST(Distances, RingsAreGroupedByRisingLatency) {
  const placement p = plan(from_xml(nodes_of_one_core(4).latencies(
      {0, 1, 2, 3}, {{10, 21, 16, 21}, {21, 10, 21, 16}, {16, 21, 10, 21}, {21, 16, 21, 10}})));
  expect_sound(p);
  EXPECT_TRUE(p.latency_matrix);
  EXPECT_EQ(remote_nodes(p, 0), (std::vector<ids>{{2}, {1, 3}}));
  EXPECT_EQ(remote_nodes(p, 1), (std::vector<ids>{{3}, {0, 2}}));
}

TEST(Distances, AnAsymmetricMatrixIsReadFromTheWorkersOwnNode) {
  const placement p = plan(from_xml(
      nodes_of_one_core(3).latencies({0, 1, 2}, {{10, 40, 20}, {15, 10, 30}, {50, 60, 10}})));
  expect_sound(p);
  EXPECT_EQ(p.distances[0], (std::vector<std::uint64_t>{10, 40, 20}));
  EXPECT_EQ(remote_nodes(p, 0), (std::vector<ids>{{2}, {1}}));
  EXPECT_EQ(remote_nodes(p, 1), (std::vector<ids>{{0}, {2}}));
  EXPECT_EQ(remote_nodes(p, 2), (std::vector<ids>{{0}, {1}}));
}

TEST(Distances, RowsFollowThePlansOrderOfNodes) {
  // Node 0 has no allowed CPU and therefore comes last.
  fake_native m(
      nodes_of_one_core(3).latencies({0, 1, 2}, {{10, 11, 12}, {21, 10, 23}, {31, 32, 10}}));
  const placement p = plan(m.mask({1, 2}).get());
  expect_sound(p);
  EXPECT_EQ(p.distances,
            (std::vector<std::vector<std::uint64_t>>{{10, 23, 21}, {32, 10, 31}, {11, 12, 10}}));
}

TEST(Distances, AMatrixInAnotherOrderIsSortedOut) {
  const placement p = plan(from_xml(
      nodes_of_one_core(3).latencies({2, 0, 1}, {{10, 31, 32}, {13, 10, 12}, {23, 21, 10}})));
  expect_sound(p);
  EXPECT_EQ(p.distances[0], (std::vector<std::uint64_t>{10, 12, 13}));
  EXPECT_EQ(p.distances[2], (std::vector<std::uint64_t>{31, 32, 10}));
}

TEST(Distances, AMatrixThatContradictsItselfGivesWayToTheTreeWithOneWarning) {
  const placement p = plan(from_xml(
      nodes_of_one_core(3).latencies({0, 1, 2}, {{90, 20, 20}, {20, 10, 5}, {20, 20, 10}})));
  expect_sound(p);
  EXPECT_FALSE(p.latency_matrix);
  EXPECT_EQ(p.nodes.size(), 3U);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("contradicts itself"), std::string::npos);
}

TEST(Distances, AMatrixOfSomeNodesOnlyGivesWayToTheTree) {
  const placement p = plan(from_xml(nodes_of_one_core(3).latencies({0, 1}, {{10, 20}, {20, 10}})));
  expect_sound(p);
  EXPECT_FALSE(p.latency_matrix);
}

TEST(Distances, EqualLatenciesEverywhereMakeOneGroup) {
  const placement p = plan(from_xml(
      nodes_of_one_core(3).latencies({0, 1, 2}, {{10, 10, 10}, {10, 10, 10}, {10, 10, 10}})));
  expect_sound(p);
  EXPECT_EQ(remote_nodes(p, 1), (std::vector<ids>{{0, 2}}));
}

TEST(Distances, WorkersOnFarNodesAreNeverCutOff) {
  const placement p = plan(from_xml(
      nodes_of_one_core(3).latencies({0, 1, 2}, {{10, 255, 254}, {255, 10, 255}, {254, 255, 10}})));
  expect_sound(p);
  EXPECT_EQ(remote_nodes(p, 0), (std::vector<ids>{{2}, {1}}));
}

}  // namespace
}  // namespace nearfork::tests
