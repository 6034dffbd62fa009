// Nodes without CPUs, without memory, and cores without a node.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

TEST(MemoryNodes, OfSeveralNodesAtTheSameCpusOrdinaryMemoryOwnsThem) {
  // hwloc shows memory without CPUs with the CPUs of what it hangs on; here with a lower id, too.
  const placement p = plan(from_xml(machine_xml({
      package(0, {node(0, gib, "HBM"), node(2, gib, "DRAM"), core(0, {0}), core(1, {1})}),
      package(1, {node(1, gib, "CXL-DRAM"), node(3, gib), core(2, {2})}),
      package(2, {node(4, gib, "GPUMemory"), node(5, gib), core(3, {3})}),
  })));
  expect_sound(p);
  EXPECT_EQ(p.worker_nodes, 3U);
  EXPECT_EQ(p.nodes[0].os_id, 2U);
  EXPECT_EQ(p.nodes[1].os_id, 3U);
  EXPECT_EQ(p.nodes[2].os_id, 5U);
  EXPECT_EQ(p.nodes[2].kind, "dram");
  EXPECT_EQ(p.nodes[3].kind, "hbm");
  EXPECT_EQ(p.nodes[4].kind, "cxl");
  EXPECT_EQ(p.nodes[5].kind, "gpu");
}

TEST(MemoryNodes, WithoutNamesTheLowerIdOwnsTheCpusAndTheOtherIsUnknown) {
  const placement p = plan(from_xml(machine_xml(
      {package(0, {node(0), node(1), core(0, {0})}), package(1, {node(2), core(1, {1})})})));
  expect_sound(p);
  EXPECT_EQ(p.worker_nodes, 2U);
  EXPECT_EQ(p.nodes[2].os_id, 1U);
  EXPECT_EQ(p.nodes[2].kind, "unknown");
  EXPECT_EQ(p.nodes[0].kind, "dram");
}

TEST(MemoryNodes, MemoryOfTheWholeMachineDoesNotOwnCpusThatHaveCloserMemory) {
  const placement p = plan(from_xml(machine_xml(
      {node(0), package(0, {node(1), core(0, {0})}), package(1, {node(2), core(1, {1})})})));
  expect_sound(p);
  EXPECT_EQ(p.worker_nodes, 2U);
  EXPECT_EQ(p.nodes[0].os_id, 1U);
  EXPECT_EQ(p.nodes[1].os_id, 2U);
}

TEST(MemoryNodes, TheKernelSaysWhichNodeHasTheCpus) {
  // Node 0 has no CPUs although hwloc shows it with node 1's.
  fake_native m(machine_xml({package(0, {node(0), node(1), core(0, {0}), core(1, {1})}),
                             package(1, {node(2), core(2, {2})})}));
  m.kernel_node(0, "", "10 20 20")
      .kernel_node(1, "0-1", "20 10 20")
      .kernel_node(2, "2", "20 20 10");
  const placement p = plan(m.get());
  expect_sound(p);
  EXPECT_EQ(p.worker_nodes, 2U);
  EXPECT_EQ(p.nodes[0].os_id, 1U);
  EXPECT_EQ(p.nodes[1].os_id, 2U);
  EXPECT_EQ(p.nodes[2].os_id, 0U);
  EXPECT_EQ(warnings_with(p, "contradictory"), 0U);
}

TEST(MemoryNodes, CoresOfANodeWithoutMemoryUseTheNearestByTheKernelsDistances) {
  // hwloc leaves out node 1, which has CPUs alone; the kernel says node 2 is nearer to it than 0.
  fake_native m(machine_xml({package(0, {node(0), core(0, {0})}), package(1, {core(1, {1})}),
                             package(2, {node(2), core(2, {2})})}));
  m.kernel_node(0, "0", "10 30 20").kernel_node(1, "1", "30 10 20").kernel_node(2, "2", "20 20 10");
  const placement p = plan(m.get());
  expect_sound(p);
  ASSERT_EQ(p.nodes.size(), 2U);
  EXPECT_EQ(p.nodes[1].pus, (ids{1, 2}));
  for (const worker_place& w : p.workers) {
    EXPECT_EQ(w.reason.find("without local memory") != std::string::npos, w.pu == 1) << w.reason;
  }
}

TEST(MemoryNodes, CoresWithoutANodeUseTheNearestInTheTree) {
  // No kernel to ask: in the same group as node 5.
  const part near_group{"Group",
                        0,
                        "kind=\"1\" subkind=\"0\" dont_merge=\"1\"",
                        {package(1, {core(1, {1})}), package(2, {node(5), core(2, {2})})}};
  const placement p =
      plan(from_xml(machine_xml({package(0, {node(3), core(0, {0})}), near_group})));
  expect_sound(p);
  ASSERT_EQ(p.nodes.size(), 2U);
  EXPECT_EQ(p.nodes[0].pus, ids{0});
  EXPECT_EQ(p.nodes[1].os_id, 5U);
  EXPECT_EQ(p.nodes[1].pus, (ids{1, 2}));
}

TEST(MemoryNodes, NodesWithoutMemoryKeepTheirWorkers) {
  const placement p = plan(from_xml(
      machine_xml({package(0, {node(0, 0), core(0, {0})}), package(1, {node(1), core(1, {1})})})));
  expect_sound(p);
  EXPECT_EQ(p.worker_nodes, 2U);
  EXPECT_EQ(p.nodes[0].memory_bytes, 0U);
  EXPECT_EQ(p.nodes[1].memory_bytes, gib);
}

TEST(MemoryNodes, ThreadsOfOneCoreOnTwoNodesMakeTheMachineFlatWithOneWarning) {
  fake_native m(machine_xml({package(0, {node(0), core(0, {0, 1}), core(1, {2, 3})}),
                             package(1, {node(1), core(2, {4, 5})})}));
  m.kernel_node(0, "0,2-3", "10 20").kernel_node(1, "1,4-5", "20 10");
  const placement p = plan(m.get());
  expect_sound(p);
  EXPECT_EQ(p.nodes.size(), 1U);
  EXPECT_EQ(p.workers.size(), 3U);
  EXPECT_EQ(p.nodes[0].memory_bytes, 2 * gib);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("contradictory firmware data"), std::string::npos);
}

TEST(MemoryNodes, ANodeInsideACoreMakesTheMachineFlatWithOneWarning) {
  const placement p = plan("core:2 pu:2 [numa]");
  expect_sound(p);
  EXPECT_EQ(p.nodes.size(), 1U);
  EXPECT_EQ(p.workers.size(), 2U);
  EXPECT_EQ(warnings_with(p, "contradictory firmware data"), 1U);
}

TEST(MemoryNodes, KernelAndHwlocAtOddsMakeTheMachineFlatWithOneWarning) {
  fake_native m(machine_xml({package(0, {node(0), core(0, {0}), core(1, {1})}),
                             package(1, {node(1), core(2, {2}), core(3, {3})})}));
  m.kernel_node(0, "2-3", "10 20").kernel_node(1, "0-1", "20 10");
  const placement p = plan(m.get());
  expect_sound(p);
  EXPECT_EQ(p.nodes.size(), 1U);
  EXPECT_EQ(p.workers.size(), 4U);
  EXPECT_EQ(p.warnings.size(), 1U);
}

TEST(MemoryNodes, AKernelWithoutNumaChangesNothing) {
  fake_native m("numa:2 core:2 pu:1");
  m.folder().write("node/has_cpu", "0-1\n");
  m.folder().write("node/nodeX/cpulist", "0-1\n");
  m.folder().write("node/node", "\n");
  const placement p = plan(m.get());
  expect_sound(p);
  EXPECT_EQ(workers_by_node(p), (std::vector<std::size_t>{2, 2}));
}

}  // namespace
}  // namespace nearfork::tests
