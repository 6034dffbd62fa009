#include "options.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nearfork/error.hpp>
#include <string>
#include <vector>

namespace {

using namespace nearfork::sim;

// Expects an error that names the option, the value and something that is accepted.
void expect_refused(const std::function<void()>& parse, const std::string& value,
                    const std::string& accepted) {
  try {
    parse();
    ADD_FAILURE() << "'" << value << "' is accepted";
  } catch (const nearfork::config_error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("--opt: ")) << text;
    EXPECT_NE(text.find("'" + value + "'"), std::string::npos) << text;
    EXPECT_NE(text.find(accepted), std::string::npos) << text;
  }
}

TEST(Options, CountsAreWholeNumbersWithinTheirLimits) {
  EXPECT_EQ(parse_count("0", "--opt", 0, 30), 0U);
  EXPECT_EQ(parse_count("30", "--opt", 0, 30), 30U);
  for (const std::string bad :
       {"", "31", "-1", "+1", "1.0", "1e1", "0x1", " 1", "1 ", "x", "99999999999999999999999"}) {
    expect_refused([&] { parse_count(bad, "--opt", 0, 30); }, bad, "from 0 to 30");
  }
}

TEST(Options, WorkersAreAListOfPositiveNumbers) {
  EXPECT_EQ(parse_workers("7", "--opt"), std::vector<std::size_t>{7});
  EXPECT_EQ(parse_workers("1,2,4096", "--opt"), (std::vector<std::size_t>{1, 2, 4096}));
  for (const std::string bad : {"", "0", "x", "1,,2", ",1", "1,", "1,0", "4097", "1;2", "1, 2"}) {
    expect_refused([&] { parse_workers(bad, "--opt"); }, bad, "from 1 to 4096");
  }
}

TEST(Options, AnOverlongListOfWorkersIsRefused) {
  std::string list = "1";
  for (std::size_t i = 1; i < max_runs; ++i) list += ",1";
  EXPECT_EQ(parse_workers(list, "--opt").size(), max_runs);
  EXPECT_THROW(parse_workers(list + ",1", "--opt"), nearfork::config_error);
}

TEST(Options, CostsAreFourPositiveNumbersOfSteps) {
  EXPECT_EQ(parse_costs("1,2.5,0.001,1000000", "--opt"),
            (std::array<ticks, ring_count>{1000, 2500, 1, 1'000'000'000}));
  for (const std::string bad : {"", "1", "1,2,3", "1,2,3,4,5", "1,2,3,0", "1,2,3,-1", "1,2,3,nan",
                                "1,2,3,inf", "1,2,3,1000001", "1,2,3,x", "1,2,,4"}) {
    expect_refused([&] { parse_costs(bad, "--opt"); }, bad, "smt,cache,node,remote");
  }
}

TEST(Options, ThePenaltyIsANumberNotBelowZero) {
  EXPECT_DOUBLE_EQ(parse_penalty("0", "--opt"), 0);
  EXPECT_DOUBLE_EQ(parse_penalty("0.25", "--opt"), 0.25);
  for (const std::string bad : {"", "-0.5", "nan", "inf", "1001", "x", "1x"}) {
    expect_refused([&] { parse_penalty(bad, "--opt"); }, bad, "from 0 to 1000");
  }
}

TEST(Options, NamesAreReadAsTheyAreWritten) {
  for (const auto e : {steal_end::oldest, steal_end::newest}) {
    EXPECT_EQ(parse_steal_end(to_string(e), "--opt"), e);
  }
  for (const auto p : {victim_policy::random, victim_policy::nearest, victim_policy::sweep}) {
    EXPECT_EQ(parse_victims(to_string(p), "--opt"), p);
  }
  for (const auto p :
       {home_policy::none, home_policy::first, home_policy::block, home_policy::interleaved}) {
    EXPECT_EQ(parse_home_policy(to_string(p), "--opt"), p);
  }
  for (const auto k : {job_kind::fib, job_kind::loop, job_kind::groups, job_kind::tree}) {
    EXPECT_EQ(parse_job(to_string(k), "--opt"), k);
  }
  for (const std::string bad : {"", "Oldest", "far"}) {
    expect_refused([&] { parse_steal_end(bad, "--opt"); }, bad, "oldest, newest");
    expect_refused([&] { parse_victims(bad, "--opt"); }, bad, "random, nearest");
    expect_refused([&] { parse_home_policy(bad, "--opt"); }, bad, "block");
    expect_refused([&] { parse_job(bad, "--opt"); }, bad, "loop");
  }
}

}  // namespace
