#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run_command.hpp"
#include "temp_dir.hpp"

namespace {

using nearfork::support::command_result;
using nearfork::support::read_file;
using nearfork::support::temp_dir;
using arguments = std::vector<std::string>;

command_result run(arguments argv) {
  argv.insert(argv.begin(), std::string(NEARFORK_TEST_BIN) + "/nearfork-sim");
  return nearfork::support::run_command(argv);
}

nlohmann::json document(arguments argv) {
  argv.emplace_back("--json");
  const command_result r = run(std::move(argv));
  EXPECT_EQ(r.exit_code, 0) << to_string(r);
  auto json = nlohmann::json::parse(r.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << to_string(r);
  return json;
}

void expect_refused(const arguments& argv, const std::vector<std::string>& mentioned) {
  const command_result r = run(argv);
  EXPECT_EQ(r.exit_code, 2) << to_string(r);
  EXPECT_EQ(r.out, "") << to_string(r);
  for (const std::string& part : mentioned) {
    EXPECT_NE(r.err.find(part), std::string::npos) << "not mentioned: " << part << '\n'
                                                   << to_string(r);
  }
}

TEST(SimCommand, PrintsTheFoundingTable) {
  const command_result r = run({"fib", "--workers", "16,64"});
  EXPECT_EQ(r.exit_code, 0);
  for (const char* text : {"43781", "2775", "175", "731", "626"}) {
    EXPECT_NE(r.out.find(text), std::string::npos) << text << '\n' << r.out;
  }
}

TEST(SimCommand, JsonHasWorkSpanAndTheRuns) {
  const auto j = document({"fib", "--n", "20", "--workers", "1,16", "--steal", "newest",
                           "--victims", "random", "--seeds", "3"});
  EXPECT_EQ(j["work"], 43781);
  EXPECT_EQ(j["span"], 40);
  ASSERT_EQ(j["runs"].size(), 2U);
  EXPECT_EQ(j["runs"][0]["workers"], 1);
  EXPECT_EQ(j["runs"][1]["workers"], 16);
  EXPECT_NEAR(j["runs"][1]["time"].get<double>(), 2901, 0.5);
  EXPECT_NEAR(j["runs"][1]["steals"].get<double>(), 1391, 0.5);
  EXPECT_GT(j["runs"][1]["attempts"].get<double>(), 1391);
  EXPECT_NEAR(j["runs"][1]["speedup"].get<double>(), 43781 / 2901.0, 0.01);
}

TEST(SimCommand, WithoutOptionsTheWorkersOfTheDocumentAreSimulated) {
  const auto j = document({"fib"});
  std::vector<int> workers;
  for (const auto& r : j["runs"]) workers.push_back(r["workers"].get<int>());
  EXPECT_EQ(workers, (std::vector{1, 2, 4, 16, 64}));
}

TEST(SimCommand, AMachineGivesRingsAndOneWorkerACore) {
  const auto j = document({"fib", "--topology", "numa:2 core:3 pu:2", "--victims", "nearest"});
  ASSERT_EQ(j["runs"].size(), 1U);
  const auto& r = j["runs"][0];
  EXPECT_EQ(r["workers"], 6);
  EXPECT_EQ(r["nodes"], 2);
  const auto& rings = r["steals_by_ring"];
  EXPECT_NEAR(rings["smt"].get<double>() + rings["cache"].get<double>() +
                  rings["node"].get<double>() + rings["remote"].get<double>(),
              r["steals"].get<double>(), 1e-6);
  EXPECT_GT(rings["node"].get<double>(), 0);
  EXPECT_GT(rings["remote"].get<double>(), 0);
}

TEST(SimCommand, RemoteDataCostsTime) {
  const arguments machine{"fib", "--topology", "numa:2 core:2 pu:1", "--workers", "4"};
  const auto with = [&](arguments more) {
    more.insert(more.begin(), machine.begin(), machine.end());
    return document(more)["runs"][0];
  };
  const auto none = with({});
  const auto home = with({"--home", "block", "--remote-penalty", "0.5"});
  const auto free_of_charge = with({"--home", "block", "--remote-penalty", "0"});
  EXPECT_EQ(none["away_share"], 0);
  EXPECT_GT(home["away_share"].get<double>(), 0.1);
  EXPECT_GT(home["time"].get<double>(), 1.05 * none["time"].get<double>());
  EXPECT_EQ(free_of_charge["time"], none["time"]);
}

TEST(SimCommand, TheOtherShapesRunToo) {
  for (const std::string shape : {"loop", "groups", "tree"}) {
    const auto j = document({shape, "--n", "3", "--workers", "2"});
    EXPECT_EQ(j["graph"], shape + "(3)");
    EXPECT_GE(j["runs"][0]["time"].get<double>(), j["span"].get<double>());
  }
}

TEST(SimCommand, WritesCsvAndPlotBesideTheText) {
  const temp_dir folder;
  const std::string csv = folder.path() / "runs.csv";
  const std::string svg = folder.path() / "plot.svg";
  const command_result r = run({"fib", "--workers", "1,2", "--csv", csv, "--svg", svg});
  EXPECT_EQ(r.exit_code, 0) << to_string(r);
  EXPECT_TRUE(read_file(csv).starts_with("graph,"));
  EXPECT_TRUE(read_file(svg).starts_with("<svg "));
  EXPECT_NE(r.out.find("43781"), std::string::npos);
}

TEST(SimCommand, CompareChecksWhatNearestFirstPromises) {
  const arguments four_nodes{"compare", "--topology", "numa:4 core:8 pu:1", "--n", "20",
                             "--seeds", "5"};
  arguments argv = four_nodes;
  argv.emplace_back("--check");
  const command_result r = run(argv);
  EXPECT_EQ(r.exit_code, 0) << to_string(r);
  const auto j = document(four_nodes);
  EXPECT_LE(j["machines"][0]["remote_ratio"].get<double>(), 0.5);
  EXPECT_TRUE(j["machines"][0]["holds"].get<bool>());
}

TEST(SimCommand, ACheckThatFailsExitsWithOne) {
  // A worker a node: every steal is remote, whatever the policy.
  const arguments argv{"compare", "--topology", "numa:2 core:1 pu:1", "--n", "16"};
  EXPECT_EQ(run(argv).exit_code, 0) << "without --check it only reports";
  arguments checked = argv;
  checked.emplace_back("--check");
  const command_result r = run(checked);
  EXPECT_EQ(r.exit_code, 1) << to_string(r);
  EXPECT_NE(r.out.find("misses: remote steals"), std::string::npos) << r.out;
}

TEST(SimCommand, OneNodeLeavesNothingToCompare) {
  const command_result r =
      run({"compare", "--topology", "numa:1 core:4 pu:1", "--n", "16", "--check"});
  EXPECT_EQ(r.exit_code, 0) << to_string(r);
  EXPECT_NE(r.out.find("nothing to compare"), std::string::npos) << r.out;
}

TEST(SimCommand, HelpAndVersionSucceedEverywhere) {
  for (const arguments& argv :
       {arguments{"--help"}, arguments{"fib", "--help"}, arguments{"compare", "--help"}}) {
    const command_result r = run(argv);
    EXPECT_EQ(r.exit_code, 0) << to_string(r);
    EXPECT_NE(r.out.find("Usage"), std::string::npos) << to_string(r);
  }
  for (const arguments& argv : {arguments{"--version"}, arguments{"fib", "--version"}}) {
    const command_result r = run(argv);
    EXPECT_EQ(r.exit_code, 0) << to_string(r);
    EXPECT_TRUE(r.out.starts_with("nearfork-sim ")) << to_string(r);
  }
}

TEST(SimCommand, BadUsageIsRefusedWithWhatIsAccepted) {
  expect_refused({}, {"subcommand"});
  expect_refused({"fob"}, {"fob", "fib", "compare"});
  expect_refused({"fib", "--bogus"}, {"--bogus"});
  expect_refused({"fib", "--workers", "0"}, {"--workers", "'0'", "1 to"});
  expect_refused({"fib", "--workers", "x"}, {"--workers", "'x'"});
  expect_refused({"fib", "--workers", "1,,2"}, {"--workers", "'1,,2'", "commas"});
  expect_refused({"fib", "--n", "60"}, {"--n", "'60'", "0 to 30", "memory"});
  expect_refused({"fib", "--seeds", "0"}, {"--seeds", "'0'"});
  expect_refused({"fib", "--steal", "middle"}, {"--steal", "'middle'", "oldest"});
  expect_refused({"fib", "--victims", "far"}, {"--victims", "'far'", "nearest"});
  expect_refused({"fib", "--json", "--csv", "/nowhere/x.csv"}, {"--csv", "/nowhere/x.csv"});
  expect_refused({"fib", "--topology", "/nowhere.xml"}, {"/nowhere.xml"});
  expect_refused({"compare"}, {"--topology"});
  expect_refused({"compare", "--topology", "numa:2 core:1 pu:1", "--victims", "random"},
                 {"--victims", "nearest"});
}

TEST(SimCommand, OptionsThatWouldMeanNothingAreRefused) {
  for (const auto& [option, value] : {std::pair{"--steal-cost", "1,1,1,1"},
                                      {"--miss-cost", "1,1,1,1"},
                                      {"--home", "block"},
                                      {"--remote-penalty", "1"},
                                      {"--far-tasks", "4"},
                                      {"--smt", "all"}}) {
    expect_refused({"fib", option, value}, {option, "--topology"});
  }
  const std::string machine = "numa:2 core:1 pu:1";
  expect_refused({"fib", "--topology", machine, "--remote-penalty", "1"}, {"--home"});
  expect_refused({"fib", "--topology", machine, "--far-tasks", "4"}, {"--victims nearest"});
}

}  // namespace
