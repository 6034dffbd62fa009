// Which cores are taken when workers are fewer, and what happens when they are more.
#include <gtest/gtest.h>

#include <set>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

plan_options with(std::size_t workers, place_policy place) {
  plan_options options;
  options.workers = workers;
  options.place = place;
  return options;
}

constexpr const char* two_by_two_by_two = "numa:2 l3:2 core:2 pu:1";

TEST(PlacePolicy, SpreadGoesOverNodesThenCaches) {
  const placement p = plan(two_by_two_by_two, with(4, place_policy::spread));
  expect_sound(p);
  EXPECT_EQ(workers_by_node(p), (std::vector<std::size_t>{2, 2}));
  std::set<std::size_t> caches;
  for (const worker_place& w : p.workers) caches.insert(w.cache);
  EXPECT_EQ(caches.size(), 4U);
  EXPECT_TRUE(p.warnings.empty());
}

TEST(PlacePolicy, SpreadOverFewerWorkersThanNodesAlternatesPackages) {
  const placement p = plan("pack:2 numa:2 core:2 pu:1", with(2, place_policy::spread));
  expect_sound(p);
  EXPECT_EQ(planned_cpus(p), (ids{0, 4}));
}

TEST(PlacePolicy, CompactFillsOneCacheThenOneNode) {
  EXPECT_EQ(planned_cpus(plan(two_by_two_by_two, with(2, place_policy::compact))), (ids{0, 1}));
  EXPECT_EQ(planned_cpus(plan(two_by_two_by_two, with(4, place_policy::compact))),
            (ids{0, 1, 2, 3}));
  EXPECT_EQ(planned_cpus(plan(two_by_two_by_two, with(5, place_policy::compact))),
            (ids{0, 1, 2, 3, 4}));
}

TEST(PlacePolicy, TheFirstWorkersOfAPlanAreThePlanOfFewerWorkers) {
  for (const place_policy place : {place_policy::spread, place_policy::compact}) {
    for (const smt_policy smt : {smt_policy::one_per_core, smt_policy::all}) {
      plan_options options = with(0, place);
      options.smt = smt;
      const placement whole = plan("pack:2 numa:2 l3:2 core:3 pu:2", options);
      for (std::size_t k = 1; k <= whole.workers.size(); ++k) {
        options.workers = k;
        const ids fewer = planned_cpus(plan("pack:2 numa:2 l3:2 core:3 pu:2", options));
        ids first = planned_cpus(whole);
        first.resize(k);
        ASSERT_EQ(fewer, first) << k;
      }
    }
  }
}

TEST(PlacePolicy, AllCoresAreTakenOnceWhenThereAreAsManyWorkers) {
  for (const place_policy place : {place_policy::spread, place_policy::compact}) {
    const placement p = plan(two_by_two_by_two, with(0, place));
    EXPECT_EQ(sorted(planned_cpus(p)), (ids{0, 1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(PlacePolicy, ALoneWorkerOnASecondNodeIsFlagged) {
  const placement p = plan("numa:2 core:4 pu:1", with(5, place_policy::compact));
  expect_sound(p);
  ASSERT_EQ(p.warnings.size(), 1U);
  EXPECT_NE(p.warnings[0].find("uneven fill"), std::string::npos);
  EXPECT_NE(p.warnings[0].find("4 on node 0, 1 on node 1"), std::string::npos) << p.warnings[0];
}

TEST(PlacePolicy, AMaskThatCutsUnevenlyIsFlagged) {
  fake_native m("numa:2 core:4 pu:1");
  const placement p = plan(m.mask({0, 1, 2, 3, 4}).get());
  EXPECT_EQ(warnings_with(p, "uneven fill"), 1U);
}

TEST(PlacePolicy, AnEvenFillIsNotFlagged) {
  for (const std::size_t workers : ids{1, 2, 4, 8}) {
    EXPECT_TRUE(plan(two_by_two_by_two, with(workers, place_policy::spread)).warnings.empty());
  }
  EXPECT_TRUE(plan(two_by_two_by_two, with(4, place_policy::compact)).warnings.empty());
}

TEST(PlacePolicy, MoreWorkersThanCoresGoRoundRobinWithAWarning) {
  const placement p = plan("numa:2 core:2 pu:1", with(10, place_policy::spread));
  expect_sound(p);
  ASSERT_EQ(p.workers.size(), 10U);
  for (std::size_t w = 4; w < 10; ++w) EXPECT_EQ(p.workers[w].core, p.workers[w - 4].core);
  EXPECT_EQ(warnings_with(p, "10 workers on 4 allowed cores"), 1U);
  EXPECT_NE(p.workers[4].reason.find("shared"), std::string::npos);
  EXPECT_EQ(p.victims[0].smt.size(), 2U) << "those on the same core are the nearest";
}

TEST(PlacePolicy, WorkersThatShareACoreUseItsHardwareThreads) {
  const placement p = plan("numa:1 core:2 pu:2", with(4, place_policy::compact));
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), (ids{0, 1, 2, 3}));
  EXPECT_EQ(warnings_with(p, "4 workers on 2 allowed cores"), 1U);
}

TEST(PlacePolicy, TooManyWorkersAreRefusedClearly) {
  const std::string message =
      config_error_of([] { plan("core:2 pu:1", with(max_workers + 1, place_policy::spread)); });
  EXPECT_NE(message.find("8193"), std::string::npos) << message;
  EXPECT_NE(message.find("8192"), std::string::npos) << message;
}

TEST(PlacePolicy, EveryWorkerHasAReason) {
  const placement p = plan(two_by_two_by_two, with(3, place_policy::spread));
  EXPECT_EQ(p.workers[0].reason, "spread: worker 1 on node 0, 1 in L3 group 0, core 0");
  EXPECT_EQ(p.workers[1].reason, "spread: worker 1 on node 1, 1 in L3 group 2, core 4");
  EXPECT_EQ(p.workers[2].reason, "spread: worker 2 on node 0, 1 in L3 group 1, core 2");
}

}  // namespace
}  // namespace nearfork::tests
