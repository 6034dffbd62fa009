/// \file
/// Requirement: the last line of the tests is the sum over all stages, and whatever goes wrong in
/// one counts as a failure and is named.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "run_command.hpp"
#include "temp_dir.hpp"

namespace {

using nearfork::support::command_options;
using nearfork::support::command_result;
using nearfork::support::run_command;
using nearfork::support::temp_dir;
using nearfork::support::to_string;

/// Runs the stages with everything that takes time replaced by something that succeeds, and then
/// by what \p changes says.
command_result run_stages(const std::string& changes, const std::string& arguments = "") {
  command_options options;
  options.directory = NEARFORK_TEST_SOURCE;
  return run_command({"bash", "-c",
                      "set -euo pipefail; root=/nonexistent jobs=1; source scripts/test.sh\n"
                      "setup() { :; }; configure() { :; }; build() { :; }\n"
                      "ctest_in() { record 3 0 1; }; check_format() { :; }; check_tidy() { :; }\n" +
                          changes + "\nrun_tests " + arguments},
                     options);
}

std::string last_line(const command_result& result) {
  const std::string& text = result.out;
  if (text.size() < 2 || text.back() != '\n') return "";
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(stages, are_summed_up_in_the_last_line) {
  const command_result result = run_stages("");
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  EXPECT_EQ(last_line(result), "14 passed, 0 failed, 4 skipped\n") << to_string(result);
}

TEST(stages, fail_when_one_test_failed) {
  const command_result result = run_stages("ctest_in() { record 2 1 0; }", "tsan");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(last_line(result), "2 passed, 1 failed, 0 skipped\n") << to_string(result);
}

TEST(stages, go_on_after_one_that_does_not_build_and_name_it) {
  for (const char* step : {"configure", "build"}) {
    const command_result result = run_stages(std::string(step) + "() { [ \"$1\" != asan ]; }");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find("FAILED asan: build\n"), std::string::npos) << to_string(result);
    EXPECT_EQ(last_line(result), "11 passed, 1 failed, 3 skipped\n") << to_string(result);
  }
}

TEST(stages, count_each_check_of_lint) {
  const command_result result = run_stages("check_tidy() { return 1; }", "lint");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("FAILED lint: clang-tidy\n"), std::string::npos) << to_string(result);
  EXPECT_EQ(last_line(result), "1 passed, 1 failed, 0 skipped\n") << to_string(result);
}

TEST(stages, run_alone_or_as_labels_of_the_release_build) {
  const std::string echo = "ctest_in() { echo \"ctest $1 $2\"; record 1 0 0; }";
  EXPECT_NE(run_stages(echo, "unit numa").out.find("ctest release unit|numa\n"), std::string::npos);
  EXPECT_NE(run_stages(echo, "--quick").out.find("ctest release unit\n"), std::string::npos);
  const command_result result = run_stages(echo, "clang");
  EXPECT_NE(result.out.find("ctest clang unit\n"), std::string::npos) << to_string(result);
  EXPECT_EQ(last_line(result), "1 passed, 0 failed, 0 skipped\n") << to_string(result);
}

TEST(stages, count_a_ctest_that_fails_without_a_failed_test) {
  const temp_dir folder;
  std::filesystem::create_directories(folder.path() / "build");
  const std::string fake =
      "unset -f ctest_in; source scripts/test.sh; root=" + folder.path().string() + "\n";
  const command_result result = run_stages(fake + "ctest() { return 8; }", "clang");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("FAILED clang: ctest ended with status 8\n"), std::string::npos)
      << to_string(result);
  EXPECT_EQ(last_line(result), "0 passed, 1 failed, 0 skipped\n") << to_string(result);
}

}  // namespace
