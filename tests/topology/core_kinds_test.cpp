// Hybrid machines: which cores are fast, and what is no hybrid.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

machine_xml four_cores() {
  return machine_xml(
      {package(0, {node(0), core(0, {0}), core(1, {1}), core(2, {2}), core(3, {3})})});
}

plan_options only(core_kinds kinds) {
  plan_options options;
  options.kinds = kinds;
  return options;
}

ids cpus_of(const machine_xml& m, core_kinds kinds) {
  return sorted(planned_cpus(plan(from_xml(m), only(kinds))));
}

TEST(CoreKinds, IntelsNamesDecide) {
  // Even where the frequencies say nothing.
  machine_xml m = four_cores();
  m.kind({0, 1}, {{"CoreType", "IntelAtom"}, {"FrequencyMaxMHz", "4000"}})
      .kind({2, 3}, {{"CoreType", "IntelCore"}, {"FrequencyMaxMHz", "4000"}});
  EXPECT_EQ(cpus_of(m, core_kinds::performance), (ids{2, 3}));
  EXPECT_EQ(cpus_of(m, core_kinds::efficient), (ids{0, 1}));
  EXPECT_EQ(cpus_of(m, core_kinds::all), (ids{0, 1, 2, 3}));
}

TEST(CoreKinds, LinuxCapacityTellsBigFromLittle) {
  machine_xml m = four_cores();
  m.kind({0, 1}, {{"LinuxCapacity", "446"}})
      .kind({2}, {{"LinuxCapacity", "871"}})
      .kind({3}, {{"LinuxCapacity", "1024"}});
  EXPECT_EQ(cpus_of(m, core_kinds::performance), (ids{2, 3}));
  EXPECT_EQ(cpus_of(m, core_kinds::efficient), (ids{0, 1}));
}

TEST(CoreKinds, FavouredCoresAreNoHybrid) {
  machine_xml m = four_cores();
  m.kind({0, 1, 2}, {{"FrequencyMaxMHz", "5000"}}).kind({3}, {{"FrequencyMaxMHz", "5300"}});
  EXPECT_EQ(cpus_of(m, core_kinds::performance), (ids{0, 1, 2, 3}));
}

TEST(CoreKinds, OnMachinesOfOneKindPerformanceMeansAllCores) {
  EXPECT_EQ(plan("numa:1 core:4 pu:1", only(core_kinds::performance)).workers.size(), 4U);
}

TEST(CoreKinds, AskingForCoresThatAreNotThereIsAnErrorThatSaysSo) {
  const std::string message =
      config_error_of([] { plan("numa:1 core:4 pu:1", only(core_kinds::efficient)); });
  EXPECT_NE(message.find("'efficient'"), std::string::npos) << message;
  EXPECT_NE(message.find("all alike"), std::string::npos) << message;
  EXPECT_NE(message.find("accepted here are all and performance"), std::string::npos) << message;
}

TEST(CoreKinds, AMaskOfSlowCoresLeavesNoFastOnes) {
  machine_xml xml = four_cores();
  xml.kind({0, 1}, {{"CoreType", "IntelAtom"}}).kind({2, 3}, {{"CoreType", "IntelCore"}});
  fake_native m(xml);
  const machine cut = m.mask({0, 1}).get();
  EXPECT_EQ(plan(cut, only(core_kinds::efficient)).workers.size(), 2U);
  const std::string message = config_error_of([&] { plan(cut, only(core_kinds::performance)); });
  EXPECT_NE(message.find("all efficient ones"), std::string::npos) << message;
}

TEST(CoreKinds, FastCoresAreTakenFirst) {
  machine_xml m = four_cores();
  m.kind({0, 1}, {{"CoreType", "IntelAtom"}}).kind({2, 3}, {{"CoreType", "IntelCore"}});
  for (const place_policy place : {place_policy::spread, place_policy::compact}) {
    plan_options options;
    options.place = place;
    EXPECT_EQ(planned_cpus(plan(from_xml(m), options)), (ids{2, 3, 0, 1}));
  }
}

TEST(CoreKinds, WorkersAskedOntoFastCoresAreNotBoundToSlowOnes) {
  machine_xml m = four_cores();
  m.kind({0, 1}, {{"CoreType", "IntelAtom"}}).kind({2, 3}, {{"CoreType", "IntelCore"}});
  plan_options options = only(core_kinds::performance);
  options.bind = bind_policy::node;
  for (const worker_place& w : plan(from_xml(m), options).workers) {
    EXPECT_EQ(w.binding, (ids{2, 3}));
  }
}

}  // namespace
}  // namespace nearfork::tests
