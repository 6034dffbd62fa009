// The NEARFORK_* variables that shape a plan.
#include <gtest/gtest.h>

#include <nearfork/detail/plan_environment.hpp>

#include "rig.hpp"
#include "scoped_environment.hpp"

namespace nearfork::tests {
namespace {

using detail::plan_from_environment;

class PlanEnvironment : public ::testing::Test {
 protected:
  PlanEnvironment() {
    for (const char* name : {"NEARFORK_WORKERS", "NEARFORK_BIND", "NEARFORK_PLACE", "NEARFORK_SMT",
                             "NEARFORK_KINDS", "NEARFORK_STEAL", "NEARFORK_TOPOLOGY"}) {
      environment_.unset(name);
    }
  }
  support::scoped_environment environment_;
};

TEST_F(PlanEnvironment, WithoutVariablesTheDefaultsStand) {
  plan_options defaults;
  defaults.workers = 3;
  defaults.place = place_policy::compact;
  const plan_options read = plan_from_environment(defaults);
  EXPECT_EQ(read.workers, 3U);
  EXPECT_EQ(read.place, place_policy::compact);
  EXPECT_EQ(read.bind, bind_policy::core);
}

TEST_F(PlanEnvironment, EachVariableOverridesItsOption) {
  environment_.set("NEARFORK_WORKERS", "12");
  environment_.set("NEARFORK_BIND", "node");
  environment_.set("NEARFORK_PLACE", "compact");
  environment_.set("NEARFORK_SMT", "all");
  environment_.set("NEARFORK_KINDS", "performance");
  environment_.set("NEARFORK_STEAL", "random");
  const plan_options read = plan_from_environment();
  EXPECT_EQ(read.workers, 12U);
  EXPECT_EQ(read.bind, bind_policy::node);
  EXPECT_EQ(read.place, place_policy::compact);
  EXPECT_EQ(read.smt, smt_policy::all);
  EXPECT_EQ(read.kinds, core_kinds::performance);
  EXPECT_EQ(read.steal, steal_policy::random);
}

TEST_F(PlanEnvironment, AnEmptyVariableIsNotSet) {
  environment_.set("NEARFORK_WORKERS", "");
  environment_.set("NEARFORK_BIND", "");
  EXPECT_EQ(plan_from_environment().workers, 0U);
  EXPECT_EQ(plan_from_environment().bind, bind_policy::core);
}

TEST_F(PlanEnvironment, BadNumbersOfWorkersAreNamed) {
  for (const char* bad :
       {"two", "-1", "1.5", "0x4", "4 ", " 4", "8193", "18446744073709551616", "+2", "1e3"}) {
    environment_.set("NEARFORK_WORKERS", bad);
    const std::string message = config_error_of([] { plan_from_environment(); });
    EXPECT_NE(message.find("NEARFORK_WORKERS"), std::string::npos) << message;
    EXPECT_NE(message.find(quoted(bad)), std::string::npos) << message;
    EXPECT_NE(message.find("0 to 8192"), std::string::npos) << message;
  }
}

TEST_F(PlanEnvironment, BadNamesAreNamed) {
  for (const char* name :
       {"NEARFORK_BIND", "NEARFORK_PLACE", "NEARFORK_SMT", "NEARFORK_KINDS", "NEARFORK_STEAL"}) {
    support::scoped_environment one(name, "nonsense");
    const std::string message = config_error_of([] { plan_from_environment(); });
    EXPECT_NE(message.find(name), std::string::npos) << message;
    EXPECT_NE(message.find("'nonsense'"), std::string::npos) << message;
    EXPECT_NE(message.find("accepted are"), std::string::npos) << message;
  }
}

TEST_F(PlanEnvironment, TheTopologyVariablePutsAnotherMachineInPlace) {
  environment_.set("NEARFORK_TOPOLOGY", "numa:3 core:2 pu:2");
  const placement p = plan(machine::from_environment());
  EXPECT_TRUE(p.foreign);
  EXPECT_EQ(p.source, "numa:3 core:2 pu:2");
  EXPECT_EQ(p.workers.size(), 6U);
}

TEST_F(PlanEnvironment, ABadTopologyNamesTheVariable) {
  environment_.set("NEARFORK_TOPOLOGY", "numa:two");
  const std::string message = config_error_of([] { machine::from_environment(); });
  EXPECT_NE(message.find("NEARFORK_TOPOLOGY"), std::string::npos) << message;
  EXPECT_NE(message.find("'numa:two'"), std::string::npos) << message;
}

TEST_F(PlanEnvironment, WithoutATopologyThisMachineIsMeant) {
  EXPECT_EQ(plan(machine::from_environment()).source, "native");
  environment_.set("NEARFORK_TOPOLOGY", "");
  EXPECT_FALSE(plan(machine::from_environment()).foreign);
}

}  // namespace
}  // namespace nearfork::tests
