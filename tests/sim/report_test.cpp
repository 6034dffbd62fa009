#include "report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jobs.hpp"
#include "plans.hpp"
#include "plot.hpp"

namespace {

using namespace nearfork::sim;

series example(bool machine) {
  series s;
  const dag job = fib_dag(12);
  s.graph = "fib(12)";
  s.source = machine ? "a <b> & \"c\", d" : "flat";
  s.machine = machine;
  s.seeds = 2;
  s.work = job.work();
  s.span = job.span();
  for (const std::size_t workers : {1U, 3U}) {
    layout l = flat_layout(workers);
    if (machine && workers == 3) l = layout_of(sim_test::three_nodes());
    s.runs.push_back(measure(job, l, s.options, s.seeds));
  }
  return s;
}

// The fields of each line of a CSV text (RFC 4180).
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && c == '\n') {
      lines.push_back(fields);
      fields.assign(1, "");
    } else if (quoted || c != '\r') {
      fields.back() += c;
    }
  }
  return lines;
}

// Whether tags nest and text is escaped: enough to tell a well-formed file of ours from a broken
// one.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < svg.size(); ++i) {
    if (svg[i] == '&') {
      const std::string entity = svg.substr(i, svg.find(';', i) - i + 1);
      EXPECT_TRUE(entity == "&amp;" || entity == "&lt;" || entity == "&gt;" || entity == "&quot;")
          << entity;
    }
    if (svg[i] != '<') continue;
    const std::size_t end = svg.find('>', i);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(i + 1, end - i - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    i = end;
  }
  EXPECT_TRUE(open.empty());
}

TEST(Measurement, IsTheAverageOverSeedsZeroUpward) {
  const dag job = fib_dag(14);
  const layout where = flat_layout(6);
  run_options options;
  options.seed = 77;  // ignored
  const measurement m = measure(job, where, options, 4);
  double time = 0;
  double steals = 0;
  double shortest = 1e9;
  double longest = 0;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    options.seed = seed;
    const run_result r = simulate(job, where, options);
    const double t = static_cast<double>(r.time) / 1000;
    time += t;
    steals += static_cast<double>(r.steals);
    shortest = std::min(shortest, t);
    longest = std::max(longest, t);
  }
  EXPECT_DOUBLE_EQ(m.time, time / 4);
  EXPECT_DOUBLE_EQ(m.steals, steals / 4);
  EXPECT_DOUBLE_EQ(m.shortest, shortest);
  EXPECT_DOUBLE_EQ(m.longest, longest);
}

TEST(Measurement, DerivesTheTheorysQuantities) {
  measurement m;
  m.workers = 4;
  m.work = 1000;
  m.span = 20;
  m.time = 300;
  m.steals = 40;
  m.steals_by_ring = {0, 0, 30, 10};
  EXPECT_DOUBLE_EQ(m.speedup(), 1000.0 / 300);
  EXPECT_DOUBLE_EQ(m.efficiency(), 1000.0 / 1200);
  EXPECT_DOUBLE_EQ(m.lower_bound(), 250);
  EXPECT_DOUBLE_EQ(m.greedy_bound(), 270);
  EXPECT_DOUBLE_EQ(m.span_factor(), 2.5);
  EXPECT_DOUBLE_EQ(m.remote_share(), 0.25);
  EXPECT_DOUBLE_EQ(m.steals_per_worker_span(), 0.5);
  m.workers = 100;
  EXPECT_DOUBLE_EQ(m.lower_bound(), 20) << "the span when that is longer than work / workers";
}

TEST(Comparison, HoldsOnlyWhenBothConditionsDo) {
  comparison c;
  c.random.nodes = 2;
  c.random.time = 100;
  c.random.steals_by_ring[3] = 40;
  c.candidate = c.random;
  EXPECT_FALSE(c.holds());
  c.candidate.steals_by_ring[3] = 20;
  EXPECT_TRUE(c.holds());
  c.candidate.time = 103;
  EXPECT_TRUE(c.holds());
  c.candidate.time = 104;
  EXPECT_FALSE(c.holds());
  EXPECT_TRUE(c.several_nodes());
  c.random.nodes = 1;
  EXPECT_FALSE(c.several_nodes());
}

TEST(Report, CsvHasAsManyFieldsInEachLineAndKeepsOddNames) {
  for (const bool machine : {false, true}) {
    const series s = example(machine);
    const auto lines = read_csv(csv_of(s));
    ASSERT_EQ(lines.size(), 1 + s.runs.size());
    for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
    EXPECT_EQ(lines[1][1], s.source);
    EXPECT_EQ(lines[0][6], "workers");
    EXPECT_EQ(lines[2][6], "3");
    EXPECT_EQ(lines[2].back().empty(), !machine);
  }
}

TEST(Report, CsvOfAComparisonHasAsManyFieldsInEachLine) {
  comparison c;
  c.source = "x, \"y\"";
  c.random.nodes = 2;
  const auto lines = read_csv(csv_of(example(true), {c, c}));
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_EQ(lines[2][1], c.source);
}

TEST(Report, ThePlotIsWellFormedAndNeedsNothingElse) {
  for (const bool machine : {false, true}) {
    const std::string svg = svg_of(example(machine));
    expect_well_formed(svg);
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_EQ(svg.find("href"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf\""), std::string::npos);
    EXPECT_EQ(svg.find("<b>"), std::string::npos) << "the source's name must be escaped";
  }
}

TEST(Report, ThePlotOfOneOrNoRunIsWellFormedToo) {
  series s = example(false);
  s.runs.resize(1);
  expect_well_formed(svg_of(s));
  EXPECT_EQ(svg_of(s).find("nan"), std::string::npos);
  s.runs.clear();
  expect_well_formed(svg_of(s));
}

TEST(Report, RingsAppearWithAMachineOnly) {
  const auto flat = json_of(example(false));
  EXPECT_TRUE(flat["machine"].is_null());
  EXPECT_FALSE(flat["runs"][0].contains("steals_by_ring"));
  const auto machine = json_of(example(true));
  double sum = 0;
  for (const auto& count : machine["runs"][1]["steals_by_ring"]) sum += count.get<double>();
  EXPECT_DOUBLE_EQ(sum, machine["runs"][1]["steals"].get<double>());
  EXPECT_DOUBLE_EQ(machine["runs"][1]["remote_share"].get<double>(), 1);
  EXPECT_NE(text_of(example(true)).find("remote"), std::string::npos);
  EXPECT_EQ(text_of(example(false)).find("remote"), std::string::npos);
}

}  // namespace
