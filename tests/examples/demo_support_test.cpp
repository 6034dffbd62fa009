/// \file
/// Requirement: what the demo shows around its workloads is true: free memory, progress, numbers.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "common/text.hpp"
#include "demo/memory.hpp"
#include "demo/progress.hpp"
#include "temp_dir.hpp"

namespace {

using nearfork::support::temp_dir;

TEST(demo_memory, available_is_more_than_nothing_and_at_most_what_the_machine_has) {
  const std::uint64_t total = demo::detail::value_of("/proc/meminfo", "MemTotal:").value() * 1024;
  EXPECT_GT(demo::available_memory(), std::uint64_t{1} << 20);
  EXPECT_LE(demo::available_memory(), total);
}

TEST(demo_memory, a_control_group_of_version_2_leaves_its_limit_less_what_cannot_be_given_back) {
  const temp_dir group;
  group.write("memory.max", "1000000\n");
  group.write("memory.current", "700000\n");
  group.write("memory.stat", "anon 1\ninactive_file 100000\nactive_file 5\n");
  EXPECT_EQ(demo::detail::left_in_group(group.path()), 400'000U);
}

TEST(demo_memory, a_control_group_of_version_1_likewise) {
  const temp_dir group;
  group.write("memory.limit_in_bytes", "1000000\n");
  group.write("memory.usage_in_bytes", "700000\n");
  group.write("memory.stat", "inactive_file 1\ntotal_inactive_file 200000\n");
  EXPECT_EQ(demo::detail::left_in_group(group.path()), 500'000U);
}

TEST(demo_memory, a_control_group_without_a_limit_or_with_garbage_limits_nothing) {
  const temp_dir group;
  EXPECT_EQ(demo::detail::left_in_group(group.path()), std::nullopt);
  group.write("memory.max", "max\n");
  group.write("memory.current", "700000\n");
  EXPECT_EQ(demo::detail::left_in_group(group.path()), std::nullopt);
  group.write("memory.max", "\n");
  EXPECT_EQ(demo::detail::left_in_group(group.path()), std::nullopt);
}

TEST(demo_memory, a_control_group_over_its_limit_leaves_nothing) {
  const temp_dir group;
  group.write("memory.max", "1000\n");
  group.write("memory.current", "2000\n");
  EXPECT_EQ(demo::detail::left_in_group(group.path()), 0U);
}

/// What a progress display with short times writes while \p use does something.
template <class Use>
std::string shown_during(bool terminal, Use&& use) {
  using namespace std::chrono_literals;
  testing::internal::CaptureStderr();
  {
    demo::progress shown(terminal, 1ms, 1ms);
    use(shown);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(demo_progress, shows_what_is_being_done_and_how_much_of_it_is_done) {
  const std::string text = shown_during(false, [](demo::progress& shown) {
    shown.begin("sorting", 200);
    shown.add(50);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  });
  EXPECT_NE(text.find("sorting, 25 %, 0 s since the start\n"), std::string::npos) << text;
}

TEST(demo_progress, never_shows_more_than_all) {
  const std::string text = shown_during(false, [](demo::progress& shown) {
    shown.begin("sorting", 200);
    shown.add(500);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  });
  EXPECT_NE(text.find("sorting, 100 %"), std::string::npos) << text;
}

TEST(demo_progress, on_a_terminal_rewrites_one_line_and_removes_it) {
  const std::string text = shown_during(true, [](demo::progress& shown) {
    shown.begin("counting");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    shown.clear();
  });
  EXPECT_NE(text.find("counting, 0 s since the start\x1b[K\r"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
}

TEST(demo_progress, of_short_runs_is_silent) {
  testing::internal::CaptureStderr();
  {
    demo::progress shown(false);
    shown.begin("sorting", 200);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(demo_text, groups_digits) {
  EXPECT_EQ(common::grouped(0), "0");
  EXPECT_EQ(common::grouped(999), "999");
  EXPECT_EQ(common::grouped(1000), "1,000");
  EXPECT_EQ(common::grouped(1234567), "1,234,567");
  EXPECT_EQ(common::grouped(18446744073709551615U), "18,446,744,073,709,551,615");
}

TEST(demo_text, gives_bytes_in_the_unit_that_suits) {
  EXPECT_EQ(common::bytes(0), "0 B");
  EXPECT_EQ(common::bytes(1023), "1023 B");
  EXPECT_EQ(common::bytes(1024), "1.0 KiB");
  EXPECT_EQ(common::bytes(25'000'000'000), "23.3 GiB");
}

TEST(demo_text, writes_runs_of_numbers_as_ranges) {
  EXPECT_EQ(common::ranges({}), "");
  EXPECT_EQ(common::ranges({7}), "7");
  EXPECT_EQ(common::ranges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

}  // namespace
