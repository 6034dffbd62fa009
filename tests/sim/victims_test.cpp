#include <gtest/gtest.h>

#include <string>

#include "experiment.hpp"
#include "jobs.hpp"
#include "plans.hpp"
#include "shared_topologies.hpp"

namespace {

using namespace nearfork::sim;
using sim_test::plan_of;

// What nearfork-sim compare takes for granted on a machine.
run_options on_a_machine(victim_policy victims) {
  run_options options;
  options.victims = victims;
  options.costs.steal = {1000, 2000, 4000, 6000};
  options.costs.miss = {1000, 1000, 2000, 3000};
  return options;
}

comparison compare(const dag& job, const layout& where, unsigned seeds) {
  comparison c;
  c.source = where.source;
  c.random = measure(job, where, on_a_machine(victim_policy::random), seeds);
  c.candidate = measure(job, where, on_a_machine(victim_policy::nearest), seeds);
  return c;
}

std::string summary(const comparison& c) {
  return c.source + ": remote steals " + std::to_string(c.remote_ratio()) + ", time " +
         std::to_string(c.time_ratio());
}

TEST(Victims, NearestFirstHalvesRemoteStealsAtNoMoreThanThreePercentLongerTime) {
  const layout where = layout_of(plan_of("numa:4 l3:2 core:4 pu:1"));
  for (const auto& [kind, n] : {std::pair{job_kind::fib, 22U},
                                {job_kind::loop, 13U},
                                {job_kind::groups, 4U},
                                {job_kind::tree, 8U}}) {
    const comparison c = compare(make_job(kind, n), where, 5);
    EXPECT_TRUE(c.holds()) << to_string(kind) << " on " << summary(c);
  }
}

TEST(Victims, NearestFirstDoesSoOnEveryRealMachineWithSeveralNodes) {
  const auto files = nearfork::support::shared_topologies();
  if (files.empty()) GTEST_SKIP() << nearfork::support::no_shared_topologies;
  const dag job = fib_dag(22);
  int several = 0;
  for (const auto& file : files) {
    const layout where = layout_of(plan_of(file.string()));
    if (where.occupied.size() < 2) continue;
    ++several;
    const comparison c = compare(job, where, 10);
    EXPECT_TRUE(c.holds()) << summary(c);
  }
  EXPECT_GT(several, 0);
}

// Why nearest-first is not simply one ring after the other: on machines with several levels that
// takes far longer.
TEST(Victims, SweepingRingAfterRingIsSlowerThanRandomWhereNearestFirstIsNot) {
  const dag job = fib_dag(20);
  const layout where = layout_of(plan_of("pack:2 numa:2 l3:8 core:4 pu:1"));
  const measurement random = measure(job, where, on_a_machine(victim_policy::random), 5);
  const measurement sweep = measure(job, where, on_a_machine(victim_policy::sweep), 5);
  const measurement nearest = measure(job, where, on_a_machine(victim_policy::nearest), 5);
  EXPECT_GT(sweep.time, 1.2 * random.time);
  EXPECT_LT(nearest.time, 1.03 * random.time);
  EXPECT_LT(nearest.remote_steals(), sweep.remote_steals());
}

// A far worker with fewer tasks than nearest-first asks for at first is helped all the same.
TEST(Victims, FarNodesAreHelpedHoweverFewTasksTheyHave) {
  dag_builder b;
  const auto start = b.add();
  const auto end = b.add();
  for (int i = 0; i < 8; ++i) {
    const auto v = b.add(10'000);
    b.edge(start, v);
    b.edge(v, end);
  }
  const dag job = std::move(b).build();
  const layout where = layout_of(plan_of("numa:8 core:1 pu:1"));
  for (const auto victims : {victim_policy::nearest, victim_policy::sweep}) {
    for (const std::uint32_t far_tasks : {1U, 8U, 1'000'000U}) {
      run_options options = on_a_machine(victims);
      options.far_tasks = far_tasks;
      const measurement m = measure(job, where, options, 3);
      EXPECT_LT(m.time, 11'000) << to_string(victims) << ' ' << far_tasks;
      EXPECT_EQ(m.steals, 7) << to_string(victims) << ' ' << far_tasks;
    }
  }
}

TEST(Victims, ASweepLooksAtEveryNearWorkerBeforeAFarOne) {
  // Nobody has anything to steal while the only node runs: 3 of its own node, then 4 of the other,
  // and again. Each costs one step, so the counts are known.
  dag_builder b;
  b.add(700);
  const dag job = std::move(b).build();
  const layout where = layout_of(plan_of("numa:2 core:4 pu:1"));
  run_options options;
  options.victims = victim_policy::sweep;
  const run_result r = simulate(job, where, options);
  EXPECT_EQ(r.attempts, 7U * 700U);
  EXPECT_EQ(r.attempts_by_ring[static_cast<std::size_t>(ring::node)], 7U * 300U);
  EXPECT_EQ(r.attempts_by_ring[static_cast<std::size_t>(ring::remote)], 7U * 400U);
}

TEST(Victims, NearestFirstTriesEachRingAsOften) {
  // Eight rounds of one near and one far victim, then one round of everybody: 3 and 4. After
  // 16 + 7 = 23 attempts the same again.
  dag_builder b;
  b.add(230);
  const dag job = std::move(b).build();
  const layout where = layout_of(plan_of("numa:2 core:4 pu:1"));
  run_options options;
  options.victims = victim_policy::nearest;
  const run_result r = simulate(job, where, options);
  EXPECT_EQ(r.attempts, 7U * 230U);
  EXPECT_EQ(r.attempts_by_ring[static_cast<std::size_t>(ring::node)], 7U * 110U);
  EXPECT_EQ(r.attempts_by_ring[static_cast<std::size_t>(ring::remote)], 7U * 120U);
}

}  // namespace
