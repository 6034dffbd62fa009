/// \file
/// Requirement: the developer's command explains itself and refuses what it does not know.
#include <gtest/gtest.h>

#include <string>

#include "run_command.hpp"

namespace {

using nearfork::support::command_result;
using nearfork::support::run_command;
using nearfork::support::to_string;

const std::string dev = NEARFORK_TEST_SOURCE "/dev";

TEST(dev_command, help_names_every_command) {
  const command_result result = run_command({dev, "help"});
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  for (const char* name : {"run", "build", "test", "bench", "lint", "format", "soak", "fuzz"}) {
    EXPECT_NE(result.out.find(std::string("\n  ") + name + " "), std::string::npos) << name;
  }
}

TEST(dev_command, refuses_an_unknown_command) {
  const command_result result = run_command({dev, "biuld"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("unknown command 'biuld'"), std::string::npos) << to_string(result);
}

TEST(dev_command, refuses_an_unknown_stage_before_it_does_anything) {
  const command_result result = run_command({dev, "test", "asam"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("unknown stage or label 'asam'"), std::string::npos)
      << to_string(result);
  EXPECT_NE(result.err.find("release asan tsan clang lint"), std::string::npos)
      << to_string(result);
}

}  // namespace
