// The NEARFORK_* variables that a pool reads.
#include <gtest/gtest.h>

#include <fstream>
#include <nearfork/nearfork.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "scoped_environment.hpp"
#include "temp_dir.hpp"

namespace {

using nearfork::pool_options;
using nearfork::support::scoped_environment;

TEST(environment, sets_every_option) {
  const scoped_environment a("NEARFORK_WORKERS", "3");
  const scoped_environment b("NEARFORK_BIND", "none");
  const scoped_environment c("NEARFORK_PLACE", "compact");
  const scoped_environment d("NEARFORK_SMT", "all");
  const scoped_environment e("NEARFORK_STEAL", "random");
  const scoped_environment f("NEARFORK_SPIN_US", "7");
  const scoped_environment g("NEARFORK_DEQUE_CAPACITY", "64");
  const scoped_environment h("NEARFORK_STACK_BYTES", "1048576");
  const pool_options o = pool_options::from_environment();
  EXPECT_EQ(o.workers, 3U);
  EXPECT_EQ(o.bind, nearfork::bind_policy::none);
  EXPECT_EQ(o.place, nearfork::place_policy::compact);
  EXPECT_EQ(o.smt, nearfork::smt_policy::all);
  EXPECT_EQ(o.steal, nearfork::steal_policy::random);
  EXPECT_EQ(o.spin, std::chrono::microseconds(7));
  EXPECT_EQ(o.deque_capacity, 64U);
  EXPECT_EQ(o.stack_bytes, 1048576U);
  nearfork::pool p(o);
  EXPECT_EQ(p.worker_count(), 3U);
  EXPECT_EQ(p.run([] { return nearfork::join([] { return 1; }, [] { return 2; }).second; }), 2);
}

class bad_value
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(bad_value, is_an_error_that_names_variable_value_and_what_is_accepted) {
  const auto& [variable, value, accepted] = GetParam();
  const scoped_environment set(variable, value);
  try {
    nearfork::pool p;
    FAIL() << variable << "=" << value << " was accepted";
  } catch (const nearfork::config_error& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find(variable), std::string::npos) << what;
    EXPECT_NE(what.find(value), std::string::npos) << what;
    EXPECT_NE(what.find(accepted), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , bad_value,
    ::testing::Values(std::tuple("NEARFORK_WORKERS", "-1", "accepted"),
                      std::tuple("NEARFORK_WORKERS", "2x", "accepted"),
                      std::tuple("NEARFORK_BIND", "cores", "cache"),
                      std::tuple("NEARFORK_PLACE", "dense", "compact"),
                      std::tuple("NEARFORK_SMT", "yes", "one_per_core"),
                      std::tuple("NEARFORK_KINDS", "fast", "performance"),
                      std::tuple("NEARFORK_STEAL", "far", "nearest"),
                      std::tuple("NEARFORK_SPIN_US", "1.5", "accepted"),
                      std::tuple("NEARFORK_DEQUE_CAPACITY", "1000", "powers of two"),
                      std::tuple("NEARFORK_STACK_BYTES", "many", "accepted"),
                      std::tuple("NEARFORK_DISPLAY_AFFINITY", "2", "accepted"),
                      std::tuple("NEARFORK_REPORT", "file.txt", "accepted"),
                      std::tuple("NEARFORK_TOPOLOGY", "/nonexistent.xml", "NEARFORK_TOPOLOGY")),
    [](const auto& i) {
      return std::string(std::get<0>(i.param)) + "_" + std::to_string(i.index);
    });

TEST(environment, report_as_json_can_be_read_by_a_machine) {
  const nearfork::support::temp_dir dir;
  const std::string file = std::string(dir.path()) + "/report.json";
  {
    const scoped_environment report("NEARFORK_REPORT", file);
    nearfork::pool p;
    p.run([] { nearfork::join([] {}, [] {}); });
  }
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in);
  EXPECT_EQ(json["format"], "nearfork-report");
  EXPECT_EQ(json["total"]["tasks_run"], 2);
  EXPECT_FALSE(json["workers"].empty());
}

TEST(environment, report_and_affinity_as_text_go_to_stderr) {
  const scoped_environment report("NEARFORK_REPORT", "1");
  const scoped_environment affinity("NEARFORK_DISPLAY_AFFINITY", "1");
  testing::internal::CaptureStderr();
  {
    nearfork::pool p;
    p.run([] {});
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("nearfork: worker 0: pu "), std::string::npos) << text;
  EXPECT_NE(text.find("nearfork report: "), std::string::npos) << text;
}

}  // namespace
