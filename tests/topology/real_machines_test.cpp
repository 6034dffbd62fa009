// Plans of real machines, from hwloc descriptions kept beside the checkout.
#include <gtest/gtest.h>
#include <hwloc.h>

#include <cctype>
#include <filesystem>
#include <map>

#include "rig.hpp"
#include "shared_topologies.hpp"

namespace nearfork::tests {
namespace {

namespace fs = std::filesystem;

struct counts {
  std::size_t cores = 0, pus = 0, nodes = 0;
};

// Straight from hwloc, with none of our filters.
counts count_with_hwloc(const fs::path& file) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  EXPECT_EQ(hwloc_topology_set_xml(topology, file.c_str()), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology);
  counts result;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
    if (hwloc_bitmap_intersects(core->cpuset, allowed) != 0) ++result.cores;
  }
  result.pus = static_cast<std::size_t>(hwloc_bitmap_weight(allowed));
  result.nodes = static_cast<std::size_t>(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
  hwloc_topology_destroy(topology);
  return result;
}

placement plan_file(const char* name, const plan_options& options = {}) {
  return plan(machine::from((support::shared_topology_folder() / name).string()), options);
}

class RealMachines : public ::testing::Test {
 protected:
  void SetUp() override {
    if (support::shared_topologies().empty()) GTEST_SKIP() << support::no_shared_topologies;
  }
};

class EachRealMachine : public ::testing::TestWithParam<fs::path> {};

TEST_P(EachRealMachine, HasOneWorkerForEachAllowedCore) {
  const counts expected = count_with_hwloc(GetParam());
  const placement p = plan(machine::from(GetParam().string()));
  expect_sound(p);
  EXPECT_EQ(p.workers.size(), expected.cores);
  EXPECT_EQ(p.allowed_pus.size(), expected.pus);
  EXPECT_EQ(p.nodes.size(), expected.nodes);
  EXPECT_TRUE(p.foreign);
}

TEST_P(EachRealMachine, HasOneWorkerForEachHardwareThreadWhenAsked) {
  plan_options options;
  options.smt = smt_policy::all;
  const placement p = plan(machine::from(GetParam().string()), options);
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), p.allowed_pus);
}

TEST_P(EachRealMachine, IsPlannedSoundlyWithEveryNumberOfWorkersAndPolicy) {
  const machine m = machine::from(GetParam().string());
  const std::size_t cores = plan(m).workers.size();
  for (const place_policy place : {place_policy::spread, place_policy::compact}) {
    for (const std::size_t workers : {std::size_t{1}, cores / 2, cores - 1, cores + 1}) {
      plan_options options;
      options.place = place;
      options.workers = std::max<std::size_t>(1, workers);
      options.bind = bind_policy::cache;
      expect_sound(plan(m, options));
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EachRealMachine);
INSTANTIATE_TEST_SUITE_P(Shared, EachRealMachine, ::testing::ValuesIn(support::shared_topologies()),
                         name_of);

TEST_F(RealMachines, AreThereForTheTestsAbove) {
  EXPECT_GE(support::shared_topologies().size(), 11U);
}

TEST_F(RealMachines, KnightsLandingHasNoWorkersOnItsFastMemory) {
  const placement p = plan_file("64intel64-fakeKNL-SNC4-hybrid.xml");
  ASSERT_EQ(p.nodes.size(), 8U);
  EXPECT_EQ(p.worker_nodes, 4U);
  for (node_index n = 0; n < 8; ++n) {
    EXPECT_EQ(p.nodes[n].kind, n < 4 ? "dram" : "hbm");
    EXPECT_EQ(p.nodes[n].os_id < 4, n < 4);
  }
  EXPECT_EQ(workers_by_node(p), (std::vector<std::size_t>{4, 4, 4, 4, 0, 0, 0, 0}));
  // Its memory-side caches are not shared between cores; the tiles' L2 are.
  for (const victim_rings& rings : p.victims) EXPECT_EQ(rings.cache.size(), 1U);
}

TEST_F(RealMachines, HeterogeneousMemoryIsNamedByKind) {
  const placement p = plan_file("fakeheteromemtiers.xml");
  std::map<std::size_t, std::string> kinds;
  for (const node_place& n : p.nodes) kinds[n.os_id] = n.kind;
  EXPECT_EQ(
      kinds,
      (std::map<std::size_t, std::string>{
          {0, "dram"}, {1, "dram"}, {2, "hbm"}, {4, "hbm"}, {6, "nvm"}, {8, "nvm"}, {9, "nvm"}}));
  // Node 2 is all the memory its cores have; the others of its kind stand beside ordinary memory.
  EXPECT_EQ(p.worker_nodes, 3U);
  EXPECT_EQ(p.nodes[2].os_id, 2U);
}

TEST_F(RealMachines, OfflineCpusAreNotPlannedAndNamedOnce) {
  const placement p = plan_file("16em64t-4s2c2t-offlines.xml");
  EXPECT_EQ(p.allowed_pus, (ids{0, 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 15}));
  EXPECT_EQ(p.workers.size(), 7U);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("2,5,13-14"), std::string::npos) << p.warnings[0];
}

TEST_F(RealMachines, SparseNodeIdsStayOutsideAndIndicesAreDense) {
  const placement p = plan_file("48amd64-4pa2n6c-sparse.xml");
  ids os;
  for (const node_place& n : p.nodes) os.push_back(n.os_id);
  EXPECT_EQ(os, (ids{0, 1, 2, 33, 34, 45, 72, 73}));
  EXPECT_EQ(workers_by_node(p), std::vector<std::size_t>(8, 6));
  EXPECT_TRUE(p.latency_matrix);
  EXPECT_EQ(p.distances[1], (std::vector<std::uint64_t>{16, 10, 22, 16, 16, 22, 22, 16}));
}

TEST_F(RealMachines, HybridCoresAreToldApart) {
  const char* const file = "20em64t-hybrid-1p6c2t+2ca4co1t.xml";
  plan_options options;
  options.kinds = core_kinds::performance;
  EXPECT_EQ(sorted(planned_cpus(plan_file(file, options))), (ids{0, 2, 4, 6, 8, 10}));
  options.kinds = core_kinds::efficient;
  EXPECT_EQ(sorted(planned_cpus(plan_file(file, options))), (ids{12, 13, 14, 15, 16, 17, 18, 19}));
  options.kinds = core_kinds::all;
  options.workers = 4;
  for (const worker_place& w : plan_file(file, options).workers) {
    EXPECT_LT(w.pu, 12U) << "fast cores come first";
    EXPECT_NE(w.reason.find("performance core"), std::string::npos);
  }
}

TEST_F(RealMachines, ClustersAreTheCacheRing) {
  const placement p = plan_file("128arm-2pa2n8cluster4co.xml");
  for (const victim_rings& rings : p.victims) {
    EXPECT_EQ(rings.cache.size(), 3U);
    EXPECT_EQ(rings.node.size(), 28U);
    EXPECT_EQ(rings.remote.size(), 3U);
  }
}

TEST_F(RealMachines, NodesWithoutKnownMemoryStillHaveWorkers) {
  const placement p = plan_file("AMD-17h-Zen-2xEpyc-7451.xml");
  ASSERT_EQ(p.nodes.size(), 1U);
  EXPECT_EQ(p.nodes[0].memory_bytes, 0U);
  EXPECT_EQ(p.workers.size(), 48U);
}

}  // namespace
}  // namespace nearfork::tests
