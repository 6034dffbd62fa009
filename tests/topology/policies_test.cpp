// Policies have one name in each direction, and a wrong one is answered with the right ones.
#include <gtest/gtest.h>

#include <nearfork/policies.hpp>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

TEST(Policies, EveryNameThatIsPrintedIsRead) {
  for (const auto p : {bind_policy::core, bind_policy::pu, bind_policy::cache, bind_policy::node,
                       bind_policy::none}) {
    EXPECT_EQ(parse_bind_policy(to_string(p), "x"), p);
  }
  for (const auto p : {place_policy::spread, place_policy::compact}) {
    EXPECT_EQ(parse_place_policy(to_string(p), "x"), p);
  }
  for (const auto p : {smt_policy::one_per_core, smt_policy::all}) {
    EXPECT_EQ(parse_smt_policy(to_string(p), "x"), p);
  }
  for (const auto p : {core_kinds::all, core_kinds::performance, core_kinds::efficient}) {
    EXPECT_EQ(parse_core_kinds(to_string(p), "x"), p);
  }
  for (const auto p : {steal_policy::nearest, steal_policy::random}) {
    EXPECT_EQ(parse_steal_policy(to_string(p), "x"), p);
  }
}

TEST(Policies, NamesAreThoseOfTheContract) {
  EXPECT_EQ(to_string(bind_policy::none), "none");
  EXPECT_EQ(to_string(place_policy::compact), "compact");
  EXPECT_EQ(to_string(smt_policy::one_per_core), "one_per_core");
  EXPECT_EQ(to_string(core_kinds::efficient), "efficient");
  EXPECT_EQ(to_string(steal_policy::nearest), "nearest");
}

TEST(Policies, AWrongNameIsAnsweredWithTheVariableTheValueAndWhatIsAccepted) {
  const std::string message = config_error_of([] { parse_bind_policy("socket", "NEARFORK_BIND"); });
  for (const char* part : {"NEARFORK_BIND", "'socket'", "core", "pu", "cache", "node", "none"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  }
}

TEST(Policies, NamesAreTakenExactly) {
  EXPECT_THROW(parse_place_policy("", "x"), config_error);
  EXPECT_THROW(parse_place_policy("Spread", "x"), config_error);
  EXPECT_THROW(parse_smt_policy("all ", "x"), config_error);
  EXPECT_THROW(parse_core_kinds("perf", "x"), config_error);
  EXPECT_THROW(parse_steal_policy("nearest,random", "x"), config_error);
}

}  // namespace
}  // namespace nearfork::tests
