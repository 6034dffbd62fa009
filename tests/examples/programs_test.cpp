/// \file
/// Requirement: the programs to copy from run, and find their own answers correct.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "commands.hpp"

namespace {

using examples_test::command_options;
using examples_test::run;

class example_program : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(each, example_program,
                         ::testing::Values("hello-join", "fibonacci", "mergesort", "nqueens",
                                           "matmul"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(example_program, finds_its_answer_correct_at_every_worker_count) {
  for (const char* workers : {"1", "2", "5"}) {
    command_options options;
    options.environment["NEARFORK_WORKERS"] = workers;
    const auto result = run(std::string("nearfork-example-") + GetParam(), {}, options);
    EXPECT_EQ(result.exit_code, 0) << to_string(result);
    EXPECT_NE(result.out.find(std::string(workers) + " workers"), std::string::npos)
        << to_string(result);
  }
}

TEST(example_programs, refuse_sizes_that_are_none) {
  for (const char* program : {"fibonacci", "nqueens", "matmul"}) {
    for (const char* size : {"0", "-3", "x", "99999"}) {
      const auto result = run(std::string("nearfork-example-") + program, {size});
      EXPECT_EQ(result.exit_code, 2) << program << ' ' << to_string(result);
      EXPECT_NE(result.err.find("usage:"), std::string::npos) << to_string(result);
    }
  }
}

TEST(example_programs, solve_every_size_of_board) {
  for (int n = 1; n <= 9; ++n) {
    const auto result = run("nearfork-example-nqueens", {std::to_string(n)});
    EXPECT_EQ(result.exit_code, 0) << to_string(result);
  }
}

TEST(example_programs, multiply_small_and_odd_matrices) {
  for (const char* n : {"1", "2", "7", "48", "49", "97", "130"}) {
    const auto result = run("nearfork-example-matmul", {n});
    EXPECT_EQ(result.exit_code, 0) << to_string(result);
  }
}

}  // namespace
