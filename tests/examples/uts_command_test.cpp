/// \file
/// Requirement: nearfork-uts gives the published sizes at any worker count, and clear errors.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "commands.hpp"
#include "scale.hpp"

namespace {

using examples_test::expect_refused;
using examples_test::run;
using examples_test::run_json;

struct published {
  const char* tree;
  std::uint64_t nodes, leaves, depth;
};

class uts_command : public ::testing::TestWithParam<std::tuple<published, int>> {};
INSTANTIATE_TEST_SUITE_P(
    trees, uts_command,
    ::testing::Combine(::testing::Values(published{"T1", 4'130'071, 3'305'118, 10},
                                         published{"T3", 4'112'897, 3'599'034, 1572},
                                         published{"T5", 4'147'582, 2'181'318, 20}),
                       ::testing::Values(1, 2, 8)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).tree) + "_with_" +
             std::to_string(std::get<1>(test.param)) + "_workers";
    });

TEST_P(uts_command, gives_the_published_size) {
  const auto& [tree, workers] = GetParam();
  if (nearfork::support::test_scale() < 0.1 && workers == 1) {
    GTEST_SKIP() << "millions of nodes and nobody to race with, at this NEARFORK_TEST_SCALE";
  }
  const auto j =
      run_json("nearfork-uts", {"--tree", tree.tree, "--workers", std::to_string(workers)});
  EXPECT_EQ(j.at("nodes"), tree.nodes);
  EXPECT_EQ(j.at("leaves"), tree.leaves);
  EXPECT_EQ(j.at("depth"), tree.depth);
  EXPECT_EQ(j.at("workers"), workers);
  EXPECT_EQ(j.at("ranks"), 1);
  EXPECT_EQ(j.at("as_published"), true);
  const double seconds = j.at("seconds");
  EXPECT_GT(seconds, 0.0);
  EXPECT_NEAR(j.at("nodes_per_second").get<double>(), static_cast<double>(tree.nodes) / seconds,
              1.0);
}

TEST(uts_command_line, takes_a_tree_by_its_parameters) {
  const auto j = run_json("nearfork-uts", {"-t", "2", "-b", "6", "-d", "10", "-r", "4", "-a", "0",
                                           "-q", "0.234375", "-m", "4", "-f", "0.5", "-g", "2"});
  EXPECT_EQ(j.at("nodes"), 19'466);
  EXPECT_EQ(j.at("leaves"), 14'668);
  EXPECT_EQ(j.at("depth"), 59);
  EXPECT_TRUE(j.at("as_published").is_null());
}

TEST(uts_command_line, without_any_option_takes_the_published_defaults) {
  const auto j = run_json("nearfork-uts", {});
  EXPECT_EQ(j.at("nodes"), 1732);
  EXPECT_EQ(j.at("leaves"), 1050);
}

TEST(uts_command_line, searches_without_forks_when_asked_to) {
  const auto j = run_json("nearfork-uts", {"-t", "0", "-b", "20", "-q", "0.2", "--serial"});
  EXPECT_EQ(j.at("nodes"), 49);
  EXPECT_EQ(j.at("serial"), true);
  EXPECT_EQ(j.at("workers"), 1);
}

TEST(uts_command_line, reads_numbers_as_decimal) {
  EXPECT_EQ(run_json("nearfork-uts", {"-r", "01"}).at("nodes"), 486);
}

TEST(uts_command_line, prints_text_for_people) {
  const auto result = run("nearfork-uts", {"-t", "0", "-b", "300", "-q", "0", "-m", "3"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("nodes     301"), std::string::npos) << result.out;
}

TEST(uts_command_line, has_help_and_version) {
  const auto help = run("nearfork-uts", {"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option : {"--tree", "-t", "-a", "-b", "-d", "-r", "-q", "-m", "-f", "-g",
                             "--workers", "--serial", "--json", "--version"}) {
    EXPECT_NE(help.out.find(std::string("  ") + option), std::string::npos) << option;
  }
  const auto version = run("nearfork-uts", {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("nearfork-uts ")) << version.out;
}

TEST(uts_command_line, refuses_what_it_does_not_know) {
  expect_refused("nearfork-uts", {"--tree", "T2"}, {"--tree", "T2", "T1,T3,T5"});
  expect_refused("nearfork-uts", {"--frobnicate"}, {"--frobnicate"});
  expect_refused("nearfork-uts", {"T1"}, {"T1"});
  expect_refused("nearfork-uts", {"--tree"}, {"--tree"});
}

TEST(uts_command_line, refuses_numbers_out_of_range) {
  expect_refused("nearfork-uts", {"--workers", "0"}, {"--workers", "'0'", "1 to 4096"});
  expect_refused("nearfork-uts", {"--workers", "-1"}, {"--workers", "'-1'", "1 to 4096"});
  expect_refused("nearfork-uts", {"--workers", "2x"}, {"--workers", "'2x'"});
  expect_refused("nearfork-uts", {"--workers", "99999999999999999999"}, {"--workers"});
  expect_refused("nearfork-uts", {"-t", "3"}, {"-t", "'3'", "0 to 2"});
  expect_refused("nearfork-uts", {"-a", "4"}, {"-a", "'4'", "0 to 3"});
  expect_refused("nearfork-uts", {"-b", "nan"}, {"-b", "'nan'"});
  expect_refused("nearfork-uts", {"-b", "inf"}, {"-b", "'inf'"});
  expect_refused("nearfork-uts", {"-b", ""}, {"-b"});
  expect_refused("nearfork-uts", {"-d", "0"}, {"-d", "'0'"});
  expect_refused("nearfork-uts", {"-r", "4294967296"}, {"-r", "'4294967296'", "0 to 4294967295"});
  expect_refused("nearfork-uts", {"-q", "1.1"}, {"-q", "'1.1'", "0 to 1"});
  expect_refused("nearfork-uts", {"-m", "101"}, {"-m", "'101'", "0 to 100"});
  expect_refused("nearfork-uts", {"-f", "-0.1"}, {"-f", "'-0.1'", "0 to 1"});
  expect_refused("nearfork-uts", {"-g", "0"}, {"-g", "'0'"});
}

TEST(uts_command_line, refuses_combinations_that_mean_nothing) {
  expect_refused("nearfork-uts", {"-t", "0", "-q", "0.5", "-m", "2"}, {"infinite"});
  expect_refused("nearfork-uts", {"--tree", "T1", "-r", "20"}, {"--tree", "-r"});
  expect_refused("nearfork-uts", {"--serial", "--workers", "2"}, {"--serial", "--workers"});
}

TEST(uts_command_line, reports_a_bad_variable_by_name_and_value) {
  examples_test::command_options options;
  options.environment["NEARFORK_WORKERS"] = "many";
  const auto result = run("nearfork-uts", {}, options);
  EXPECT_EQ(result.exit_code, 2) << to_string(result);
  EXPECT_NE(result.err.find("NEARFORK_WORKERS"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("many"), std::string::npos) << result.err;
}

TEST(uts_command_line, takes_the_workers_from_the_environment) {
  examples_test::command_options options;
  options.environment["NEARFORK_WORKERS"] = "3";
  const auto result = run("nearfork-uts", {"--json"}, options);
  EXPECT_EQ(nlohmann::json::parse(result.out).at("workers"), 3) << to_string(result);
}

TEST(uts_command_line, fails_when_its_answer_cannot_be_written) {
  const auto result = nearfork::support::run_command(
      {"sh", "-c", "exec \"$0\" > /dev/full", std::string(NEARFORK_TEST_BIN) + "/nearfork-uts"});
  EXPECT_EQ(result.exit_code, 1) << to_string(result);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

}  // namespace
