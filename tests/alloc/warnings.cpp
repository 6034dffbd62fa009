#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nearfork/detail/warn.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace nearfork::detail;

class warnings : public testing::Test {
 protected:
  void SetUp() override { forget_warnings(); }
  void TearDown() override { set_warning_sink(nullptr); }
};

TEST_F(warnings, are_one_line_on_stderr_once_a_key) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(warn_once("a", "first"));
  EXPECT_FALSE(warn_once("a", "first, again"));
  EXPECT_TRUE(warn_once("b", "second"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "nearfork: warning: first\nnearfork: warning: second\n");
}

TEST_F(warnings, go_to_the_sink_while_there_is_one) {
  static std::vector<std::string> lines;
  lines.clear();
  EXPECT_EQ(set_warning_sink([](std::string_view line) { lines.emplace_back(line); }), nullptr);
  testing::internal::CaptureStderr();
  warn_once("a", "heard");
  EXPECT_NE(set_warning_sink(nullptr), nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(lines, std::vector<std::string>{"nearfork: warning: heard"});
}

TEST_F(warnings, are_given_once_however_many_threads_warn) {
  static std::atomic<int> lines;
  lines = 0;
  set_warning_sink([](std::string_view) { lines.fetch_add(1); });
  std::atomic<int> given{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&given] {
      for (int i = 0; i < 100; ++i)
        given += warn_once("key " + std::to_string(i % 10), "x") ? 1 : 0;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(given, 10);
  EXPECT_EQ(lines, 10);
}

}  // namespace
