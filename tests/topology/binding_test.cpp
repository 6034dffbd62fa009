// What each worker is bound to, and how hardware threads are shared out.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

placement bound(bind_policy bind, smt_policy smt = smt_policy::one_per_core) {
  plan_options options;
  options.bind = bind;
  options.smt = smt;
  return plan("numa:2 l3:2 core:2 pu:2", options);
}

const worker_place& on_cpu(const placement& p, std::size_t cpu) {
  for (const worker_place& w : p.workers) {
    if (w.pu == cpu) return w;
  }
  ADD_FAILURE() << "no worker on CPU " << cpu;
  return p.workers.front();
}

TEST(Binding, CoreMeansAllItsHardwareThreads) {
  EXPECT_EQ(on_cpu(bound(bind_policy::core), 2).binding, (ids{2, 3}));
}

TEST(Binding, PuMeansTheOneHardwareThread) {
  EXPECT_EQ(on_cpu(bound(bind_policy::pu), 2).binding, ids{2});
}

TEST(Binding, CacheMeansTheCoresThatShareIt) {
  EXPECT_EQ(on_cpu(bound(bind_policy::cache), 2).binding, (ids{0, 1, 2, 3}));
  EXPECT_EQ(on_cpu(bound(bind_policy::cache), 12).binding, (ids{12, 13, 14, 15}));
}

TEST(Binding, NodeMeansTheNodesCpus) {
  EXPECT_EQ(on_cpu(bound(bind_policy::node), 10).binding, (ids{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Binding, NoneMeansNoBinding) {
  for (const worker_place& w : bound(bind_policy::none).workers) EXPECT_TRUE(w.binding.empty());
}

TEST(Binding, NoBindingReachesOutsideTheMask) {
  for (const bind_policy bind :
       {bind_policy::core, bind_policy::pu, bind_policy::cache, bind_policy::node}) {
    fake_native m("numa:2 l3:2 core:2 pu:2");
    plan_options options;
    options.bind = bind;
    const placement p = plan(m.mask({1, 2, 9}).get(), options);
    expect_sound(p);
    for (const worker_place& w : p.workers) {
      EXPECT_FALSE(w.binding.empty());
      for (const std::size_t cpu : w.binding) {
        EXPECT_TRUE(cpu == 1 || cpu == 2 || cpu == 9) << cpu;
      }
    }
  }
}

TEST(Smt, OneWorkerPerCoreByDefault) {
  EXPECT_EQ(sorted(planned_cpus(bound(bind_policy::pu))), (ids{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST(Smt, AllMeansOneWorkerForEachHardwareThread) {
  const placement p = bound(bind_policy::pu, smt_policy::all);
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), p.allowed_pus);
  for (const victim_rings& rings : p.victims) EXPECT_EQ(rings.smt.size(), 1U);
}

TEST(Smt, SpreadTakesEveryCoreBeforeAnySecondHardwareThread) {
  plan_options options;
  options.smt = smt_policy::all;
  options.workers = 9;
  const placement p = plan("numa:2 l3:2 core:2 pu:2", options);
  expect_sound(p);
  for (worker_index w = 0; w < 8; ++w) EXPECT_EQ(p.workers[w].pu % 2, 0U);
  EXPECT_EQ(p.workers[8].pu % 2, 1U);
  EXPECT_NE(p.workers[8].reason.find("hardware thread 2"), std::string::npos);
}

TEST(Smt, CompactFillsACoresHardwareThreadsFirst) {
  plan_options options;
  options.smt = smt_policy::all;
  options.place = place_policy::compact;
  options.workers = 3;
  EXPECT_EQ(planned_cpus(plan("numa:2 l3:2 core:2 pu:2", options)), (ids{0, 1, 2}));
}

TEST(Smt, InterleavedIdsOfHardwareThreadsAreKnownByTheirCores) {
  // As most firmware numbers them: the second threads after all first ones.
  const placement p = plan("core:4 pu:2(indexes=0,4,1,5,2,6,3,7)");
  expect_sound(p);
  EXPECT_EQ(sorted(planned_cpus(p)), (ids{0, 1, 2, 3}));
  EXPECT_EQ(on_cpu(p, 2).binding, (ids{2, 6}));
}

}  // namespace
}  // namespace nearfork::tests
