// What happens when the system refuses: each runs correctly, and says so once.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "here.hpp"
#include "run_command.hpp"

namespace {

using nearfork::support::command_options;
using nearfork::support::command_result;
using nearfork::support::run_command;
using nlohmann::json;
using settings = std::map<std::string, std::optional<std::string>>;

const std::string shim = std::string(NEARFORK_TEST_BIN) + "/nearfork-shim-numa.so";
const std::string probe = std::string(NEARFORK_TEST_BIN) + "/nearfork-alloc-probe";

struct outcome {
  json node;
  json process;
  std::vector<std::string> warnings;
  std::vector<long> calls;  // mbind, move_pages
};

class degradation : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shim) || !std::filesystem::exists(probe))
      GTEST_SKIP() << "the shim and the probe were not built";
  }

  static outcome run(settings faults, const std::vector<std::string>& before = {}) {
    faults["LD_PRELOAD"] = shim;
    faults["NEARFORK_SHIM_CALLS"] = "1";
    // The shim comes first on purpose.
    faults["ASAN_OPTIONS"] = "verify_asan_link_order=0";
    command_options options;
    options.environment = faults;
    auto argv = before;
    argv.push_back(probe);
    const command_result result = run_command(argv, options);
    EXPECT_EQ(result.exit_code, 0) << nearfork::support::to_string(result);
    outcome o;
    if (result.exit_code != 0) return o;
    const json all = json::parse(result.out);
    o.node = all["nodes"][0];
    o.process = all["process"];
    std::istringstream lines(result.err);
    for (std::string line; std::getline(lines, line);) {
      long mbind = 0;
      long move_pages = 0;
      if (std::sscanf(line.c_str(), "shim: mbind %ld move_pages %ld", &mbind, &move_pages) == 2)
        o.calls = {mbind, move_pages};
      else
        o.warnings.push_back(line);
    }
    return o;
  }

  static void expect_unbound(const outcome& o) {
    EXPECT_FALSE(o.node["pages"]["bound"]);
    EXPECT_EQ(o.process["bound"], 0);
    EXPECT_EQ(o.node["pool"]["cache"]["bound"], 0);
    EXPECT_GT(o.node["pool"]["cache"]["unbound"], 0) << "statistics say unbound";
    EXPECT_TRUE(o.node["strict"].contains("refused")) << "strict cannot be promised";
  }
};

TEST_F(degradation, nothing_refused_means_bound_verified_and_silent) {
  NEARFORK_SKIP_UNLESS_BINDING();
  const auto o = run({});
  EXPECT_TRUE(o.node["pages"]["bound"]);
  EXPECT_EQ(o.node["pages"]["report"]["source"], "move_pages");
  EXPECT_EQ(o.node["pages"]["report"]["elsewhere"], 0);
  EXPECT_EQ(o.process["unbound"], 0);
  EXPECT_EQ(o.node["pool"]["again"]["bound"], o.node["pool"]["cache"]["bound"]);
  EXPECT_TRUE(o.warnings.empty()) << o.warnings[0];
}

TEST_F(degradation, mbind_that_is_forbidden_is_asked_once_and_warned_about_once) {
  const auto o = run({{"NEARFORK_SHIM_MBIND", "EPERM"}});
  expect_unbound(o);
  ASSERT_EQ(o.warnings.size(), 1U);
  EXPECT_NE(o.warnings[0].find("mbind: Operation not permitted"), std::string::npos)
      << o.warnings[0];
  EXPECT_NE(o.warnings[0].find("first touched"), std::string::npos) << "says what it does instead";
  EXPECT_EQ(o.calls.at(0), 1);
}

TEST_F(degradation, mbind_that_is_not_there_is_asked_once_and_warned_about_once) {
  const auto o = run({{"NEARFORK_SHIM_MBIND", "ENOSYS"}});
  expect_unbound(o);
  ASSERT_EQ(o.warnings.size(), 1U);
  EXPECT_NE(o.warnings[0].find("mbind: "), std::string::npos) << o.warnings[0];
  EXPECT_EQ(o.calls.at(0), 1);
}

TEST_F(degradation, a_node_that_does_not_take_memory_is_warned_about_once) {
  const auto o = run({{"NEARFORK_SHIM_MBIND", "EINVAL"}});
  expect_unbound(o);
  ASSERT_EQ(o.warnings.size(), 1U);
  EXPECT_NE(o.warnings[0].find("has no memory or is outside the allowed nodes"), std::string::npos)
      << o.warnings[0];
}

TEST_F(degradation, without_move_pages_placement_is_read_from_numa_maps) {
  NEARFORK_SKIP_UNLESS_BINDING();
  for (const char* error : {"EPERM", "ENOSYS"}) {
    const auto o = run({{"NEARFORK_SHIM_MOVE_PAGES", error}});
    const json& report = o.node["pages"]["report"];
    EXPECT_EQ(report["source"], "numa_maps");
    EXPECT_EQ(report["pages"], 64);
    EXPECT_EQ(report["elsewhere"], 0);
    EXPECT_GE(report["on_node"], 32);
    EXPECT_EQ(report["on_node"].get<int>() + report["untouched"].get<int>(), 64);
    EXPECT_EQ(o.node["pages"]["part"]["on_node"], 1) << "one node, so a part can be told as well";
    EXPECT_EQ(o.process["verified"], 0) << "statistics do not claim what was not seen";
    EXPECT_EQ(o.process["elsewhere"], 0);
    EXPECT_TRUE(o.node["pages"]["bound"]);
    EXPECT_EQ(o.node["strict"]["bound"], true) << "binding was accepted; it just cannot be shown";
    ASSERT_EQ(o.warnings.size(), 1U);
    EXPECT_NE(o.warnings[0].find("move_pages"), std::string::npos) << o.warnings[0];
    EXPECT_EQ(o.calls.at(1), 1) << "asked once";
  }
}

TEST_F(degradation, everything_refused_still_works_with_a_warning_each) {
  const auto o = run({{"NEARFORK_SHIM_MBIND", "EPERM"}, {"NEARFORK_SHIM_MOVE_PAGES", "EPERM"}});
  expect_unbound(o);
  EXPECT_EQ(o.warnings.size(), 2U);
}

TEST_F(degradation, pages_that_balancing_hides_at_first_are_seen_at_second_thoughts) {
  NEARFORK_SKIP_UNLESS_BINDING();
  const auto o = run({{"NEARFORK_SHIM_MOVE_PAGES", "hidden"}});
  EXPECT_EQ(o.node["pages"]["verified"], 0) << "the quick look takes the answer as it is";
  const json& report = o.node["pages"]["report"];
  EXPECT_GE(report["on_node"], 32);
  EXPECT_EQ(report["elsewhere"], 0);
  EXPECT_EQ(report["unknown"], 0);
  EXPECT_EQ(o.node["resource"]["report"]["on_node"], o.node["resource"]["report"]["pages"]);
  EXPECT_TRUE(o.warnings.empty());
}

TEST_F(degradation, a_full_node_that_spills_is_counted_and_warned_about_once) {
  NEARFORK_SKIP_UNLESS_BINDING();
  if (nearfork::alloc_tests::here() == 1) GTEST_SKIP() << "the shim says node 1 for elsewhere";
  const auto o = run({{"NEARFORK_SHIM_MOVE_PAGES", "elsewhere"}});
  EXPECT_EQ(o.node["pages"]["touched"]["elsewhere"], 256 * 1024);
  EXPECT_EQ(o.node["pages"]["touched"]["verified"], 0);
  EXPECT_GT(o.node["pool"]["cache"]["elsewhere"], 0);
  EXPECT_GT(o.process["elsewhere"], 0);
  ASSERT_EQ(o.warnings.size(), 1U);
  EXPECT_NE(o.warnings[0].find("another node"), std::string::npos) << o.warnings[0];
}

TEST_F(degradation, a_foreign_topology_has_its_nodes_and_binds_nothing) {
  settings faults{{"NEARFORK_TOPOLOGY", "numa:4 core:2 pu:1"}};
  const auto o = run(faults);
  EXPECT_TRUE(o.node["resource"]["os_id"].is_null());
  EXPECT_EQ(o.process["bound"], 0);
  EXPECT_EQ(o.calls.at(0), 0) << "mbind is not called";
  command_options options;
  options.environment = faults;
  EXPECT_EQ(run_command({probe, "3"}, options).exit_code, 0);
  const auto beyond = run_command({probe, "4"}, options);
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_NE(beyond.err.find("there is no node 4; accepted are 0 to 3"), std::string::npos)
      << beyond.err;
}

TEST_F(degradation, a_bad_topology_is_refused_by_name) {
  command_options options;
  options.environment = {{"NEARFORK_TOPOLOGY", "no such file"}};
  const auto result = run_command({probe}, options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("NEARFORK_TOPOLOGY"), std::string::npos) << result.err;
}

}  // namespace
