// nearfork-topo: its JSON, its text, its errors and its exit codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <nearfork/detail/affinity.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "machine_xml.hpp"
#include "run_command.hpp"
#include "shared_topologies.hpp"
#include "temp_dir.hpp"

namespace nearfork::tests {
namespace {

using nlohmann::json;
using support::command_options;
using support::command_result;

// Runs the command with none of our variables set, but those of the options.
command_result topo(std::vector<std::string> arguments, command_options options = {}) {
  for (const char* name :
       {"NEARFORK_WORKERS", "NEARFORK_BIND", "NEARFORK_PLACE", "NEARFORK_SMT", "NEARFORK_KINDS",
        "NEARFORK_STEAL", "NEARFORK_TOPOLOGY", "HWLOC_HIDE_ERRORS", "SLURM_CPUS_PER_TASK"}) {
    options.environment.try_emplace(name, std::nullopt);
  }
  arguments.insert(arguments.begin(), std::string(NEARFORK_TEST_BIN) + "/nearfork-topo");
  return support::run_command(arguments, options);
}

json document(const std::vector<std::string>& arguments, const command_options& options = {}) {
  std::vector<std::string> all = arguments;
  all.emplace_back("--json");
  const command_result r = topo(all, options);
  EXPECT_EQ(r.exit_code, 0) << support::to_string(r);
  EXPECT_EQ(r.err, "");
  return json::parse(r.out);
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

// Refused: exit code 2, nothing on stdout, and a few lines on stderr that name all of `parts`.
void expect_refused(const command_result& r, const std::vector<std::string>& parts) {
  EXPECT_EQ(r.exit_code, 2) << support::to_string(r);
  EXPECT_EQ(r.out, "");
  for (const std::string& part : parts) {
    EXPECT_NE(r.err.find(part), std::string::npos) << part << " in: " << r.err;
  }
  EXPECT_LE(std::count(r.err.begin(), r.err.end(), '\n'), 2) << r.err;
}

// The invariants of a plan, from the JSON alone.
void expect_sound(const json& d) {
  std::set<std::size_t> with_cpus;
  std::vector<std::size_t> order;
  std::set<std::size_t> local;
  for (const json& n : d["nodes"]) {
    order.push_back(n["id"]);
    if (!n["pus"].empty()) with_cpus.insert(n["id"].get<std::size_t>());
    for (const std::size_t cpu : n["pus"]) EXPECT_TRUE(local.insert(cpu).second);
    EXPECT_TRUE(n["memory_bytes"].is_number_unsigned());
    EXPECT_FALSE(n["kind"].get<std::string>().empty());
  }
  const std::set<std::size_t> allowed = d["allowed_pus"];
  EXPECT_EQ(local, allowed);
  const json& workers = d["workers"];
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const json& worker = workers[w];
    EXPECT_EQ(worker["id"], w);
    EXPECT_TRUE(allowed.contains(worker["pu"]));
    EXPECT_TRUE(with_cpus.contains(worker["node"]));
    std::vector<std::size_t> seen;
    for (const char* ring : {"smt", "cache", "node"}) {
      for (const std::size_t v : worker["victims"][ring]) {
        EXPECT_EQ(workers[v]["node"], worker["node"]);
        seen.push_back(v);
      }
    }
    std::uint64_t last = 0;
    for (const json& group : worker["victims"]["remote"]) {
      for (const std::size_t v : group) {
        EXPECT_NE(workers[v]["node"], worker["node"]);
        seen.push_back(v);
        if (d["distances"].is_null()) continue;
        const auto at = [&order](const json& node) {
          return static_cast<std::size_t>(
              std::find(order.begin(), order.end(), node.get<std::size_t>()) - order.begin());
        };
        const std::uint64_t distance = d["distances"][at(worker["node"])][at(workers[v]["node"])];
        EXPECT_GE(distance, last);
        last = distance;
      }
    }
    std::sort(seen.begin(), seen.end());
    std::vector<std::size_t> others;
    for (std::size_t v = 0; v < workers.size(); ++v) {
      if (v != w) others.push_back(v);
    }
    ASSERT_EQ(seen, others) << "worker " << w;
  }
}

TEST(TopoCommand, TheJsonHasTheMembersOfTheContract) {
  const json d = document({"--topology", "numa:2 core:2 pu:2"});
  for (const char* name :
       {"source", "allowed_pus", "quota", "nodes", "distances", "workers", "warnings"}) {
    EXPECT_TRUE(d.contains(name)) << name;
  }
  EXPECT_EQ(d["source"], "numa:2 core:2 pu:2");
  EXPECT_EQ(d["allowed_pus"], json({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(d["quota"].is_null());
  EXPECT_TRUE(d["distances"].is_null());
  EXPECT_TRUE(d["warnings"].is_array());
  ASSERT_EQ(d["nodes"].size(), 2U);
  for (const char* name : {"id", "pus", "memory_bytes", "kind"}) {
    EXPECT_TRUE(d["nodes"][1].contains(name)) << name;
  }
  EXPECT_EQ(d["nodes"][1]["pus"], json({4, 5, 6, 7}));
  ASSERT_EQ(d["workers"].size(), 4U);
  for (const char* name : {"id", "pu", "core", "cache", "node", "victims"}) {
    EXPECT_TRUE(d["workers"][3].contains(name)) << name;
  }
  EXPECT_EQ(keys(d["workers"][3]["victims"]),
            (std::set<std::string>{"smt", "cache", "node", "remote"}));
  EXPECT_EQ(d["workers"][0]["victims"]["remote"], json::array({json::array({1, 3})}));
}

TEST(TopoCommand, NodesGoByTheirOsIds) {
  const support::temp_dir folder;
  const machine_xml m({package(0, {node(7), core(0, {30})}), package(1, {node(3), core(1, {12})})});
  const json d = document({"--topology", folder.write("m.xml", m.text()).string()});
  expect_sound(d);
  EXPECT_EQ(d["allowed_pus"], json({12, 30}));
  std::set<std::size_t> nodes;
  for (const json& w : d["workers"]) nodes.insert(w["node"].get<std::size_t>());
  EXPECT_EQ(nodes, (std::set<std::size_t>{3, 7}));
}

TEST(TopoCommand, LatenciesAreShownAsTheNodesAre) {
  const support::temp_dir folder;
  machine_xml m({package(0, {node(0), core(0, {0})}), package(1, {node(1), core(1, {1})})});
  m.latencies({0, 1}, {{10, 21}, {31, 10}});
  const json d = document({"--topology", folder.write("m.xml", m.text()).string()});
  EXPECT_EQ(d["distances"], json({{10, 21}, {31, 10}}));
}

TEST(TopoCommand, EverySharedMachineIsPlannedSoundly) {
  if (support::shared_topologies().empty()) GTEST_SKIP() << support::no_shared_topologies;
  for (const auto& file : support::shared_topologies()) {
    SCOPED_TRACE(file.string());
    expect_sound(document({"--topology", file.string()}));
  }
}

TEST(TopoCommand, OneCpuOfTasksetMeansOneWorkerOnIt) {
  const auto mask = detail::thread_affinity();
  ASSERT_TRUE(mask);
  const std::string cpu = std::to_string(mask->back());
  command_options unset;
  unset.environment = {{"NEARFORK_WORKERS", std::nullopt}, {"NEARFORK_TOPOLOGY", std::nullopt}};
  const command_result r = support::run_command(
      {"taskset", "-c", cpu, std::string(NEARFORK_TEST_BIN) + "/nearfork-topo", "--json"}, unset);
  ASSERT_EQ(r.exit_code, 0) << support::to_string(r);
  const json d = json::parse(r.out);
  EXPECT_EQ(d["source"], "native");
  EXPECT_EQ(d["allowed_pus"], json::array({mask->back()}));
  ASSERT_EQ(d["workers"].size(), 1U);
  EXPECT_EQ(d["workers"][0]["pu"], mask->back());
}

TEST(TopoCommand, ThisMachineIsPlannedSoundly) {
  const json d = document({});
  expect_sound(d);
  EXPECT_EQ(d["allowed_pus"], json(detail::thread_affinity().value()));
}

TEST(TopoCommand, OptionsShapeThePlan) {
  const std::string machine = "numa:2 core:4 pu:2";
  EXPECT_EQ(document({"--topology", machine, "--workers", "3"})["workers"].size(), 3U);
  EXPECT_EQ(document({"--topology", machine, "--smt", "all"})["workers"].size(), 16U);
  const json compact = document({"--topology", machine, "--workers", "2", "--place", "compact"});
  EXPECT_EQ(compact["workers"][1]["node"], 0);
  const json spread = document({"--topology", machine, "--workers", "2", "--place", "spread"});
  EXPECT_EQ(spread["workers"][1]["node"], 1);
  const json pu = document({"--topology", machine, "--bind", "pu"});
  EXPECT_EQ(pu["workers"][0]["binding"], json::array({0}));
  const json random = document({"--topology", machine, "--steal", "random"});
  EXPECT_EQ(random["options"]["steal"], "random");
  expect_sound(random);
}

TEST(TopoCommand, TheEnvironmentGivesDefaultsAndOptionsWin) {
  command_options options;
  options.environment = {{"NEARFORK_TOPOLOGY", "numa:2 core:4 pu:2"},
                         {"NEARFORK_WORKERS", "5"},
                         {"NEARFORK_PLACE", "compact"},
                         {"NEARFORK_BIND", "none"}};
  const json d = document({}, options);
  EXPECT_EQ(d["source"], "numa:2 core:4 pu:2");
  EXPECT_EQ(d["workers"].size(), 5U);
  EXPECT_EQ(d["options"]["place"], "compact");
  EXPECT_TRUE(d["workers"][0]["binding"].empty());
  const json won = document(
      {"--topology", "numa:1 core:2 pu:1", "--workers", "0", "--place=spread", "--bind=core"},
      options);
  EXPECT_EQ(won["source"], "numa:1 core:2 pu:1");
  EXPECT_EQ(won["workers"].size(), 2U);
  EXPECT_EQ(won["options"]["place"], "spread");
  EXPECT_FALSE(won["workers"][0]["binding"].empty());
}

TEST(TopoCommand, BadVariablesAreRefusedByName) {
  for (const auto& [name, value, accepted] : {std::tuple{"NEARFORK_WORKERS", "lots", "0 to 8192"},
                                              {"NEARFORK_WORKERS", "-3", "0 to 8192"},
                                              {"NEARFORK_BIND", "socket", "none"},
                                              {"NEARFORK_PLACE", "wide", "compact"},
                                              {"NEARFORK_SMT", "2", "one_per_core"},
                                              {"NEARFORK_KINDS", "big", "efficient"},
                                              {"NEARFORK_STEAL", "far", "nearest"},
                                              {"NEARFORK_TOPOLOGY", "/no/such.xml", "synthetic"},
                                              {"NEARFORK_TOPOLOGY", "nonsense", "synthetic"}}) {
    command_options options;
    options.environment[name] = value;
    expect_refused(topo({"--json"}, options), {name, value, accepted});
  }
}

TEST(TopoCommand, BadOptionsAreRefusedByName) {
  for (const auto& [name, value, accepted] : {std::tuple{"--workers", "two", "0 to 8192"},
                                              {"--workers", "9000", "0 to 8192"},
                                              {"--workers", "", "0 to 8192"},
                                              {"--bind", "cores", "cache"},
                                              {"--place", "", "spread"},
                                              {"--smt", "none", "one_per_core"},
                                              {"--kinds", "all,efficient", "performance"},
                                              {"--steal", "NEAREST", "random"},
                                              {"--topology", "", "synthetic"},
                                              {"--topology", "numa:x", "synthetic"}}) {
    expect_refused(topo({name, value}), {name, value, accepted});
  }
  expect_refused(topo({"--frobnicate"}), {"--frobnicate", "--help"});
  expect_refused(topo({"machine.xml"}), {"machine.xml"});
  expect_refused(topo({"--workers"}), {"--workers"});
  expect_refused(topo({"--workers", "-3"}), {"--workers"});
  expect_refused(topo({"--kinds", "efficient", "--topology", "core:2 pu:1"}), {"efficient"});
}

TEST(TopoCommand, BrokenTopologyFilesAreRefusedWithoutNoise) {
  const support::temp_dir folder;
  const std::string whole = machine_xml({package(0, {node(0), core(0, {0}), core(1, {1})})}).text();
  const std::string good = folder.write("good.xml", whole).string();
  EXPECT_EQ(topo({"--topology", good}).exit_code, 0);
  std::string twice = whole;
  twice.replace(twice.find("type=\"PU\" os_index=\"1\""), 22, "type=\"PU\" os_index=\"0\"");
  for (const std::string& file :
       {folder.write("cut.xml", whole.substr(0, whole.size() / 2)).string(),
        folder.write("empty.xml", "").string(),
        folder.write("binary.xml", std::string("\x7f\x45LF\0\0\xff\xfe", 8)).string(),
        folder.write("html.xml", "<html></html>").string(),
        folder.write("twice.xml", twice).string(), folder.path().string(),
        (folder.path() / "absent.xml").string()}) {
    expect_refused(topo({"--topology", file}), {"--topology", file, "accepted are"});
  }
}

TEST(TopoCommand, ADescriptionFromAPipeIsRead) {
  command_options options;
  options.input = machine_xml({package(0, {node(0), core(0, {0}), core(1, {1})})}).text();
  const json d = document({"--topology", "/dev/stdin"}, options);
  EXPECT_EQ(d["workers"].size(), 2U);
}

TEST(TopoCommand, TheTextShowsNodesCachesWorkersReasonsAndWarnings) {
  const command_result r =
      topo({"--topology", "numa:2 l3:1 core:4 pu:2", "--workers", "5", "--place", "compact"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.err, "");
  for (const char* part :
       {"numa:2 l3:1 core:4 pu:2", "2 memory nodes", "8 cores", "16 hardware threads", "0-7",
        "8-15", "L3", "5 workers", "compact: worker 4 on node 0", "compact: worker 1 on node 1",
        "uneven fill"}) {
    EXPECT_NE(r.out.find(part), std::string::npos) << part << " in:\n" << r.out;
  }
}

TEST(TopoCommand, HelpAndVersionSucceed) {
  const command_result help = topo({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option : {"--topology", "--workers", "--bind", "--place", "--smt", "--kinds",
                             "--steal", "--json", "--version", "NEARFORK_TOPOLOGY"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  const command_result version = topo({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("nearfork-topo ")) << version.out;
}

TEST(TopoCommand, AFullOutputIsAFailure) {
  const command_result r = support::run_command(
      {"sh", "-c", std::string(NEARFORK_TEST_BIN) + "/nearfork-topo --json > /dev/full"});
  EXPECT_EQ(r.exit_code, 1) << support::to_string(r);
  EXPECT_NE(r.err.find("standard output"), std::string::npos) << r.err;
}

TEST(TopoCommand, AMachinePutInPlaceByHwlocsVariablesIsPlannedWhole) {
  command_options options;
  options.environment = {{"HWLOC_SYNTHETIC", "numa:2 core:8 pu:1"}};
  const json d = document({}, options);
  expect_sound(d);
  EXPECT_EQ(d["source"], "hwloc environment");
  EXPECT_EQ(d["workers"].size(), 16U);
}

}  // namespace
}  // namespace nearfork::tests
