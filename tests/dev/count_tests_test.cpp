/// \file
/// Requirement: the sum that the developer's command prints counts every test as what it was.
#include <gtest/gtest.h>

#include <string>

#include "run_command.hpp"
#include "temp_dir.hpp"

namespace {

using nearfork::support::command_result;
using nearfork::support::run_command;
using nearfork::support::temp_dir;
using nearfork::support::to_string;

command_result count(const std::string& cases) {
  const temp_dir folder;
  const auto report =
      folder.write("report.xml", "<?xml version=\"1.0\"?><testsuite>" + cases + "</testsuite>");
  return run_command(
      {"python3", NEARFORK_TEST_SOURCE "/scripts/count_tests.py", report.string(), "stage"});
}

const std::string passed =
    R"(<testcase name="a" status="run"><system-out>x</system-out></testcase>)";
const std::string failed =
    R"(<testcase name="b" status="fail"><failure message="SEGFAULT"/><system-out/></testcase>)";
const std::string skipped =
    R"(<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>)"
    "<system-out>[ RUN      ] c.d\nfile.cpp:12: Skipped\nno such\nmachine\n\n[  SKIPPED ] c.d\n"
    "</system-out></testcase>";

TEST(count_tests, counts_each_kind) {
  const command_result result = count(passed + passed + failed + skipped);
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  EXPECT_EQ(result.out, "2 1 1\n") << to_string(result);
  EXPECT_NE(result.err.find("FAILED stage: b: SEGFAULT\n"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("SKIPPED stage: c: no such machine\n"), std::string::npos)
      << result.err;
}

TEST(count_tests, tells_why_a_test_failed) {
  const command_result result =
      count(R"(<testcase name="a" status="fail"><failure message=""/><system-out>[ RUN      ] a)"
            "\nx.cpp:7: Failure\nExpected equality\n[  FAILED  ] a\n</system-out></testcase>");
  EXPECT_EQ(result.err, "FAILED stage: a: x.cpp:7: Failure Expected equality\n");
}

TEST(count_tests, counts_nothing_in_an_empty_report) { EXPECT_EQ(count("").out, "0 0 0\n"); }

TEST(count_tests, counts_a_disabled_test_as_skipped) {
  EXPECT_EQ(count(R"(<testcase name="a" status="disabled"/>)").out, "0 0 1\n");
}

TEST(count_tests, counts_a_test_whose_program_is_missing_as_failed) {
  const command_result result = count(
      R"(<testcase name="a" status="notrun"><skipped message="Unable to find executable: x"/></testcase>)");
  EXPECT_EQ(result.out, "0 1 0\n") << to_string(result);
}

TEST(count_tests, counts_a_skipped_test_with_a_sanitizer_report_as_failed) {
  const command_result result = count(
      R"(<testcase name="a" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>)"
      "<system-out>[  SKIPPED ] a\n==1==ERROR: LeakSanitizer: detected memory leaks\n"
      "</system-out></testcase>");
  EXPECT_EQ(result.out, "0 1 0\n") << to_string(result);
}

TEST(count_tests, fails_without_a_report) {
  EXPECT_NE(run_command({"python3", NEARFORK_TEST_SOURCE "/scripts/count_tests.py",
                         "/nonexistent/report.xml", "stage"})
                .exit_code,
            0);
}

}  // namespace
