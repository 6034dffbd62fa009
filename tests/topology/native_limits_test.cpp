// What of this machine is ours: the mask, the quota, and what the batch system promised.
#include <gtest/gtest.h>

#include "rig.hpp"
#include "scoped_environment.hpp"

namespace nearfork::tests {
namespace {

class NativeLimits : public ::testing::Test {
 protected:
  NativeLimits() { environment_.unset("SLURM_CPUS_PER_TASK"); }
  support::scoped_environment environment_;
};

TEST_F(NativeLimits, OneWorkerForEachAllowedCore) {
  fake_native m("numa:2 core:4 pu:2");
  const placement p = plan(m.get());
  expect_sound(p);
  EXPECT_EQ(p.workers.size(), 8U);
  EXPECT_FALSE(p.foreign);
  EXPECT_EQ(p.source, "native");
  EXPECT_FALSE(p.quota);
  EXPECT_TRUE(p.warnings.empty());
}

TEST_F(NativeLimits, TheMaskCutsTheMachine) {
  fake_native m("numa:2 core:4 pu:1");
  const placement p = plan(m.mask({5}).get());
  expect_sound(p);
  EXPECT_EQ(p.allowed_pus, ids{5});
  EXPECT_EQ(planned_cpus(p), ids{5});
  EXPECT_EQ(p.workers[0].binding, ids{5});
  EXPECT_EQ(p.nodes[p.workers[0].node].os_id, 1U);
}

TEST_F(NativeLimits, ACoreWithOneOfItsHardwareThreadsAllowedStillCounts) {
  fake_native m("numa:1 core:4 pu:2");
  const placement p = plan(m.mask({1, 2, 3, 6}).get());
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), (ids{1, 2, 6}));
  EXPECT_EQ(p.workers[0].binding, ids{1});
}

TEST_F(NativeLimits, NodesWithoutAllowedCpusComeLastAndHaveNoWorkers) {
  fake_native m("numa:3 core:2 pu:1");
  const placement p = plan(m.mask({2, 3}).get());
  expect_sound(p);
  ASSERT_EQ(p.nodes.size(), 3U);
  EXPECT_EQ(p.worker_nodes, 1U);
  EXPECT_EQ(p.nodes[0].os_id, 1U);
  EXPECT_EQ(p.nodes[1].os_id, 0U);
  EXPECT_EQ(p.nodes[2].os_id, 2U);
  EXPECT_EQ(workers_by_node(p), (std::vector<std::size_t>{2, 0, 0}));
}

TEST_F(NativeLimits, CpusOfTheMaskThatHwlocDoesNotShowAreLeftOut) {
  fake_native m("numa:1 core:2 pu:1");
  EXPECT_EQ(plan(m.mask({1, 2, 77, 5000}).get()).allowed_pus, ids{1});
}

TEST_F(NativeLimits, AMaskThatHasNothingInCommonWithHwlocWins) {
  fake_native m("numa:2 core:2 pu:1");
  const placement p = plan(m.mask({40, 41, 42}).get());
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), (ids{40, 41, 42}));
  EXPECT_EQ(p.nodes.size(), 1U);
  EXPECT_EQ(warnings_with(p, "one flat node"), 1U);
}

TEST_F(NativeLimits, TheQuotaIsRoundedUp) {
  for (const auto& [quota, workers] : {std::pair{"150000 100000", 2U},
                                       {"200000 100000", 2U},
                                       {"200001 100000", 3U},
                                       {"100000 100000", 1U},
                                       {"1000 100000", 1U},
                                       {"800000 100000", 8U}}) {
    fake_native m("numa:2 core:4 pu:1");
    const placement p = plan(m.quota(quota).get());
    expect_sound(p);
    EXPECT_EQ(p.workers.size(), workers) << quota;
    EXPECT_TRUE(p.quota.has_value());
    EXPECT_EQ(warnings_with(p, "quota"), workers < 8 ? 1U : 0U) << quota;
  }
}

TEST_F(NativeLimits, TheWarningSaysWhichQuotaAndHowManyWorkers) {
  fake_native m("numa:2 core:4 pu:1");
  const placement p = plan(m.quota("150000 100000").get());
  EXPECT_DOUBLE_EQ(p.quota.value(), 1.5);
  EXPECT_EQ(warnings_with(p, "quota of 1.5 CPUs"), 1U);
  EXPECT_EQ(warnings_with(p, "job/cpu.max"), 1U);
  EXPECT_EQ(warnings_with(p, "2 workers on 8 allowed cores"), 1U);
}

TEST_F(NativeLimits, AQuotaLargerThanTheMachineLimitsNothing) {
  fake_native m("numa:1 core:2 pu:1");
  const placement p = plan(m.quota("6400000 100000").get());
  EXPECT_EQ(p.workers.size(), 2U);
  EXPECT_DOUBLE_EQ(p.quota.value(), 64.0);
  EXPECT_TRUE(p.warnings.empty());
}

TEST_F(NativeLimits, AskedWorkersOverrideTheQuotaWithAWarning) {
  fake_native m("numa:2 core:4 pu:1");
  plan_options options;
  options.workers = 6;
  const placement p = plan(m.quota("200000 100000").get(), options);
  EXPECT_EQ(p.workers.size(), 6U);
  EXPECT_EQ(warnings_with(p, "overridden by workers = 6"), 1U);
  options.workers = 2;
  EXPECT_TRUE(plan(m.get(), options).warnings.empty());
}

TEST_F(NativeLimits, AGarbledQuotaIsIgnoredWithAWarning) {
  fake_native m("numa:2 core:4 pu:1");
  const placement p = plan(m.quota("lots").get());
  EXPECT_EQ(p.workers.size(), 8U);
  EXPECT_FALSE(p.quota);
  EXPECT_EQ(warnings_with(p, "quota ignored"), 1U);
}

TEST_F(NativeLimits, FewerCpusThanSlurmPromisedAreNamed) {
  fake_native m("numa:1 core:4 pu:1");
  environment_.set("SLURM_CPUS_PER_TASK", "16");
  const placement p = plan(m.mask({0, 1}).get());
  EXPECT_EQ(p.workers.size(), 2U);
  EXPECT_EQ(warnings_with(p, "SLURM_CPUS_PER_TASK promises 16 CPUs"), 1U);
  EXPECT_EQ(warnings_with(p, "only 2"), 1U);
}

TEST_F(NativeLimits, AsManyCpusAsSlurmPromisedAreFine) {
  fake_native m("numa:1 core:2 pu:2");
  for (const char* value : {"1", "4", "", "many", "-7", "1e9", "99999999999999999999999"}) {
    environment_.set("SLURM_CPUS_PER_TASK", value);
    EXPECT_TRUE(plan(m.get()).warnings.empty()) << value;
  }
}

TEST_F(NativeLimits, OfflineCpusGiveOneWarning) {
  fake_native m("numa:1 core:2 pu:1");
  m.folder().write("cpu/present", "0-5\n");
  m.folder().write("cpu/online", "0-1,4\n");
  const placement p = plan(m.get());
  EXPECT_EQ(p.workers.size(), 2U);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("2-3,5"), std::string::npos) << p.warnings[0];
}

TEST_F(NativeLimits, HardwareThreadsSwitchedOffOnPurposeGiveNone) {
  fake_native m("numa:1 core:2 pu:1");
  m.folder().write("cpu/present", "0-3\n");
  m.folder().write("cpu/online", "0-1\n");
  m.folder().write("cpu/smt/control", "off\n");
  EXPECT_TRUE(plan(m.get()).warnings.empty());
}

TEST_F(NativeLimits, AForeignMachineIsPlannedWhole) {
  environment_.set("SLURM_CPUS_PER_TASK", "5000");
  const placement p = plan("numa:16 core:16 pu:4");
  EXPECT_TRUE(p.foreign);
  EXPECT_EQ(p.workers.size(), 256U);
  EXPECT_EQ(p.allowed_pus.size(), 1024U);
  EXPECT_FALSE(p.quota);
  EXPECT_TRUE(p.warnings.empty());
}

TEST_F(NativeLimits, AnotherMachinePutInPlaceByHwlocItselfIsForeign) {
  fake_native m("numa:2 core:4 pu:1");
  m.sources().is_this_system = false;
  const placement p = plan(m.mask({0}).quota("100000 100000").get());
  EXPECT_TRUE(p.foreign);
  EXPECT_EQ(p.source, "hwloc environment");
  EXPECT_EQ(p.workers.size(), 8U);
}

TEST_F(NativeLimits, WhenDiscoveryFailsThePlanIsFlatAndSaysWhy) {
  fake_native m("numa:1 core:1 pu:1");
  m.sources().load = []() -> detail::topology_ptr { throw std::runtime_error("no such luck"); };
  const placement p = plan(m.mask({3, 4, 9}).get());
  expect_sound(p);
  EXPECT_EQ(planned_cpus(p), (ids{3, 4, 9}));
  EXPECT_EQ(p.nodes.size(), 1U);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("no such luck"), std::string::npos);
  EXPECT_NE(p.warnings[0].find("one flat node"), std::string::npos);
}

}  // namespace
}  // namespace nearfork::tests
