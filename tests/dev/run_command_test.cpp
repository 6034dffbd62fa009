/// \file
/// Requirement: what tests learn about programs they run is true.
#include "run_command.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <system_error>

#include "temp_dir.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::support::command_options;
using nearfork::support::command_result;
using nearfork::support::run_command;
using nearfork::support::temp_dir;

TEST(run_command, returns_the_exit_code_and_both_outputs_apart) {
  const command_result result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(run_command, takes_outputs_larger_than_a_pipe_holds) {
  const command_result result =
      run_command({"sh", "-c", "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2"});
  EXPECT_EQ(result.out.size(), 3'000'000U);
  EXPECT_EQ(result.err.size(), 2'000'000U);
}

TEST(run_command, gives_the_program_its_input) {
  command_options options;
  options.input = std::string(300'000, 'x') + "\n";
  EXPECT_EQ(run_command({"cat"}, options).out, options.input);
  EXPECT_EQ(run_command({"true"}, options).exit_code, 0);
  EXPECT_EQ(run_command({"cat"}).out, "");
}

TEST(run_command, sets_and_removes_variables) {
  command_options options;
  options.environment["NEARFORK_A"] = "one two";
  options.environment["HOME"] = std::nullopt;
  const command_result result =
      run_command({"sh", "-c", "echo \"$NEARFORK_A\" \"${HOME-none}\""}, options);
  EXPECT_EQ(result.out, "one two none\n");
}

TEST(run_command, runs_in_the_given_folder) {
  const temp_dir folder;
  command_options options;
  options.directory = folder.path();
  EXPECT_EQ(run_command({"pwd"}, options).out, folder.path().string() + "\n");
}

TEST(run_command, names_the_signal_that_ended_a_program) {
  const command_result result = run_command({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.signal, SIGTERM);
}

TEST(run_command, kills_a_program_and_its_children_after_the_time_limit) {
  command_options options;
  options.timeout = 300ms;
  const auto start = std::chrono::steady_clock::now();
  const command_result result =
      run_command({"sh", "-c", "echo before; sleep 1000 & sleep 1000; echo after"}, options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.out, "before\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 100s);
}

TEST(run_command, kills_a_program_that_closed_its_outputs_and_goes_on) {
  command_options options;
  options.timeout = 300ms;
  const command_result result = run_command({"sh", "-c", "exec >&- 2>&-; sleep 1000"}, options);
  EXPECT_TRUE(result.timed_out);
}

TEST(run_command, throws_when_there_is_no_such_program) {
  EXPECT_THROW(run_command({"nearfork-no-such-program"}), std::system_error);
  EXPECT_THROW(run_command({}), std::invalid_argument);
}

}  // namespace
