/// \file
/// Requirement: a test that hangs becomes a failure that names the test and shows every stack.
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "run_command.hpp"

namespace {

using nearfork::support::command_options;
using nearfork::support::command_result;
using nearfork::support::run_command;
using nearfork::support::to_string;

const std::string program = NEARFORK_TEST_BIN "/nearfork-hanging-test";

command_result run_with_limit(const std::string& limit, const std::string& filter,
                              const std::string& path = "") {
  command_options options;
  options.environment["NEARFORK_TEST_LIMIT_S"] = limit;
  if (!path.empty()) options.environment["PATH"] = path;
  return run_command({program, "--gtest_filter=" + filter}, options);
}

TEST(watchdog, ends_a_test_that_hangs_and_names_it) {
  const command_result result = run_with_limit("1", "hanging_program.*");
  EXPECT_FALSE(result.timed_out) << to_string(result);
  EXPECT_EQ(result.signal, SIGABRT) << to_string(result);
  EXPECT_NE(result.err.find("watchdog: hanging_program.hangs_here has run for more than 1 s"),
            std::string::npos)
      << to_string(result);
}

TEST(watchdog, shows_the_stacks_of_all_threads_where_there_is_a_debugger) {
  if (run_command({"sh", "-c", "command -v gdb"}).exit_code != 0) GTEST_SKIP() << "gdb is missing";
  const command_result result = run_with_limit("1", "hanging_program.hangs_here");
  EXPECT_NE(result.err.find("waits_for_ever_in_a_worker"), std::string::npos) << to_string(result);
  EXPECT_NE(result.err.find("TestBody"), std::string::npos) << to_string(result);
}

TEST(watchdog, tells_what_it_can_about_each_thread_without_a_debugger) {
  const command_result result = run_with_limit("1", "hanging_program.hangs_here", "/nonexistent");
  EXPECT_EQ(result.signal, SIGABRT) << to_string(result);
  std::size_t threads = 0;
  for (std::size_t at = 0; (at = result.err.find("watchdog: thread ", at)) != std::string::npos;
       ++at) {
    ++threads;
  }
  EXPECT_GE(threads, 2U) << to_string(result);
}

TEST(watchdog, leaves_a_program_that_ends_in_time_alone) {
  const command_result result = run_with_limit("60", "hanging_program.ends_well_here");
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  EXPECT_EQ(result.err.find("watchdog"), std::string::npos) << to_string(result);
}

TEST(watchdog, refuses_a_limit_that_is_not_a_number) {
  const command_result result = run_with_limit("soon", "hanging_program.ends_well_here");
  EXPECT_NE(result.exit_code, 0) << to_string(result);
  EXPECT_NE(result.err.find("NEARFORK_TEST_LIMIT_S is 'soon'"), std::string::npos)
      << to_string(result);
}

TEST(watchdog, lists_tests_without_a_word_of_its_own) {
  const command_result result = run_command({program, "--gtest_list_tests"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "hanging_program.\n  ends_well_here\n  hangs_here\n");
  EXPECT_EQ(result.err, "");
}

}  // namespace
