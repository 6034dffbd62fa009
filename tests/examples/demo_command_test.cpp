/// \file
/// Requirement: nearfork-demo runs and checks its workloads, reports what api users read from its
/// JSON, and refuses what cannot be run.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "commands.hpp"
#include "scale.hpp"

namespace {

using examples_test::expect_refused;
using examples_test::run;
using examples_test::run_json;

void expect_sound(const nlohmann::json& r) {
  SCOPED_TRACE(r.dump(2));
  EXPECT_EQ(r.at("correct"), true);
  const double seconds = r.at("seconds"), serial = r.at("serial_seconds");
  EXPECT_GT(seconds, 0.0);
  EXPECT_GT(serial, 0.0);
  EXPECT_DOUBLE_EQ(r.at("speedup"), serial / seconds);
  EXPECT_DOUBLE_EQ(r.at("efficiency"), serial / seconds / r.at("workers").get<double>());
  std::uint64_t steals = 0;
  for (const char* ring : {"smt", "cache", "node", "remote"}) {
    steals += r.at("steals").at(ring).get<std::uint64_t>();
  }
  EXPECT_EQ(r.at("steals").size(), 4U);
  EXPECT_GE(r.at("tasks").get<std::uint64_t>(), steals);
}

TEST(demo_command, runs_all_workloads_and_finds_them_correct) {
  const auto j = run_json("nearfork-demo", {"--size", "300000", "--workers", "2"});
  std::vector<std::string> names;
  for (const auto& r : j.at("runs")) {
    names.push_back(r.at("name"));
    EXPECT_EQ(r.at("size"), 300'000);
    EXPECT_EQ(r.at("workers"), 2);
    expect_sound(r);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"quicksort", "uts", "query", "triad"}));
}

TEST(demo_command, describes_the_machine) {
  const auto j = run_json("nearfork-demo", {"triad", "--size", "1000", "--workers", "2"});
  const auto& machine = j.at("machine");
  EXPECT_EQ(machine.at("worker_count"), 2);
  EXPECT_FALSE(machine.at("source").get<std::string>().empty());
  EXPECT_FALSE(machine.at("allowed_pus").empty());
  EXPECT_FALSE(machine.at("nodes").empty());
  std::set<std::uint64_t> allowed;
  for (const auto& pu : machine.at("allowed_pus")) {
    allowed.insert(pu.get<std::uint64_t>());
  }
  ASSERT_EQ(machine.at("workers").size(), 2U);
  for (const auto& worker : machine.at("workers")) {
    EXPECT_TRUE(allowed.contains(worker.at("pu").get<std::uint64_t>())) << machine.dump(2);
  }
}

class demo_workload : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(each, demo_workload,
                         ::testing::Values("quicksort", "uts", "query", "triad"),
                         [](const auto& test) { return test.param; });

TEST_P(demo_workload, runs_alone_at_every_worker_count) {
  for (const char* workers : {"1", "2", "8"}) {
    const auto j =
        run_json("nearfork-demo", {GetParam(), "--size", "200000", "--workers", workers});
    ASSERT_EQ(j.at("runs").size(), 1U);
    const auto& r = j.at("runs")[0];
    EXPECT_EQ(r.at("name"), GetParam());
    EXPECT_EQ(std::to_string(r.at("workers").get<int>()), workers);
    expect_sound(r);
    EXPECT_GT(r.at("tasks"), 0) << workers << " workers";
  }
}

TEST_P(demo_workload, runs_at_the_smallest_size) {
  for (const char* size : {"1", "2", "1001"}) {
    const auto j = run_json("nearfork-demo", {GetParam(), "--size", size});
    expect_sound(j.at("runs").at(0));
  }
}

TEST(demo_command, with_one_worker_steals_nothing) {
  const auto j = run_json("nearfork-demo", {"quicksort", "--size", "100000", "--workers", "1"});
  for (const auto& [ring, steals] : j.at("runs")[0].at("steals").items()) {
    EXPECT_EQ(steals, 0) << ring;
  }
}

TEST(demo_command, counts_a_task_for_each_fork_and_not_one_more) {
  // Each range that is split makes one task of its right part.
  const auto j = run_json("nearfork-demo", {"quicksort", "--size", "200000", "--workers", "2"});
  const auto& r = j.at("runs")[0];
  const std::uint64_t splits = r.at("leaves").get<std::uint64_t>() - 1;
  EXPECT_GE(r.at("tasks").get<std::uint64_t>(), splits);
  EXPECT_LE(r.at("tasks").get<std::uint64_t>(), splits + 10);  // and the job itself
}

TEST(demo_command, searches_the_published_tree_that_is_asked_for) {
  if (nearfork::support::test_scale() < 1) {
    GTEST_SKIP() << "six searches of millions of nodes, too many at this NEARFORK_TEST_SCALE";
  }
  const auto j = run_json("nearfork-demo", {"uts", "--tree", "T3"});
  EXPECT_EQ(j.at("runs")[0].at("nodes"), 4'112'897);
  EXPECT_EQ(j.at("runs")[0].at("depth"), 1572);
}

TEST(demo_command, prints_the_plan_and_then_the_figures_for_people) {
  const auto result = run("nearfork-demo", {"query", "--size", "100000"});
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  std::size_t from = 0;
  for (const char* part :
       {"machine", "node ", "worker", "query,", "check     correct", "time", "speed-up",
        "efficiency", "tasks", "steals", "1 of 1 workloads correct"}) {
    const std::size_t at = result.out.find(part, from);
    ASSERT_NE(at, std::string::npos) << "missing or out of order: " << part << '\n' << result.out;
    from = at;
  }
}

TEST(demo_command, has_help_and_version) {
  const auto help = run("nearfork-demo", {"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option : {"workload", "--size", "--tree", "--workers", "--json", "--version"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  const auto version = run("nearfork-demo", {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("nearfork-demo ")) << version.out;
}

TEST(demo_command, refuses_what_it_does_not_know) {
  expect_refused("nearfork-demo", {"bogosort"}, {"bogosort", "quicksort"});
  expect_refused("nearfork-demo", {"--speed"}, {"--speed"});
  expect_refused("nearfork-demo", {"uts", "--tree", "T9"}, {"T9"});
  expect_refused("nearfork-demo", {"uts", "--tree", "T3", "--size", "9"}, {"--tree", "--size"});
  expect_refused("nearfork-demo", {"--workers", "0"}, {"--workers", "'0'", "1 to 4096"});
}

TEST(demo_command, refuses_sizes_that_are_none) {
  for (const char* size : {"0", "-5", "ten", "1e6", "4.5", "", " 7", "7 ", "0x10",
                           "99999999999999999999", "100000000001"}) {
    expect_refused("nearfork-demo", {"quicksort", "--size", size},
                   {"--size", "a whole number from 1 to 100000000000"});
  }
}

TEST(demo_command, refuses_sizes_beyond_the_memory_before_anything_runs) {
  expect_refused("nearfork-demo", {"quicksort", "--size", "100000000000"},
                 {"quicksort", "1.5 TiB", "at most"});
  expect_refused("nearfork-demo", {"uts", "--size", "2000000000"}, {"2000000000", "1000000000"});
  expect_refused("nearfork-demo", {"all", "--size", "100000000000"}, {"at most"});
}

TEST(demo_command, makes_the_usual_size_smaller_where_memory_is_short) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than the test leaves";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers need more address space than the test leaves";
#endif
#endif
  const auto result = nearfork::support::run_command(
      {"sh", "-c", "ulimit -v 700000; exec \"$0\" triad --json --workers 2",
       std::string(NEARFORK_TEST_BIN) + "/nearfork-demo"});
  ASSERT_EQ(result.exit_code, 0) << to_string(result);
  const auto j = nlohmann::json::parse(result.out);
  EXPECT_LT(j.at("runs")[0].at("size"), 32'000'000);
  EXPECT_GT(j.at("runs")[0].at("size"), 320'000);
  EXPECT_NE(result.err.find("instead of 32,000,000"), std::string::npos) << result.err;
}

}  // namespace
