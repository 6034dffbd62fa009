/// \file
/// Requirement: the small helpers of the tests do what they say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "scale.hpp"
#include "scoped_environment.hpp"
#include "shared_topologies.hpp"
#include "temp_dir.hpp"

namespace {

namespace fs = std::filesystem;
using nearfork::support::scaled;
using nearfork::support::scoped_environment;
using nearfork::support::temp_dir;

TEST(scale, leaves_counts_as_they_are_by_default) {
  scoped_environment environment;
  environment.unset("NEARFORK_TEST_SCALE");
  EXPECT_EQ(scaled(0), 0U);
  EXPECT_EQ(scaled(1), 1U);
  EXPECT_EQ(scaled(100'000'000), 100'000'000U);
}

TEST(scale, cuts_counts_but_never_to_nothing) {
  const scoped_environment environment("NEARFORK_TEST_SCALE", "0.05");
  EXPECT_EQ(scaled(0), 0U);
  EXPECT_EQ(scaled(10), 1U);
  EXPECT_EQ(scaled(1000), 50U);
}

TEST(scale, refuses_what_is_not_a_positive_number) {
  for (const char* value : {"a", "0", "-1", "1x", "nan", "inf"}) {
    const scoped_environment environment("NEARFORK_TEST_SCALE", value);
    EXPECT_THROW(scaled(10), std::invalid_argument) << value;
  }
}

TEST(scoped_environment, puts_back_what_was_there) {
  ::setenv("NEARFORK_SUPPORT_A", "before", 1);
  ::unsetenv("NEARFORK_SUPPORT_B");
  {
    scoped_environment environment("NEARFORK_SUPPORT_A", "one");
    environment.set("NEARFORK_SUPPORT_A", "two");
    environment.set("NEARFORK_SUPPORT_B", "three");
    EXPECT_STREQ(std::getenv("NEARFORK_SUPPORT_A"), "two");
    environment.unset("NEARFORK_SUPPORT_A");
    EXPECT_EQ(std::getenv("NEARFORK_SUPPORT_A"), nullptr);
    EXPECT_STREQ(std::getenv("NEARFORK_SUPPORT_B"), "three");
  }
  EXPECT_STREQ(std::getenv("NEARFORK_SUPPORT_A"), "before");
  EXPECT_EQ(std::getenv("NEARFORK_SUPPORT_B"), nullptr);
  ::unsetenv("NEARFORK_SUPPORT_A");
}

TEST(temp_dir, lives_as_long_as_its_object) {
  fs::path where;
  {
    const temp_dir folder;
    where = folder.path();
    const fs::path file = folder.write("a/b.txt", "text");
    EXPECT_EQ(nearfork::support::read_file(file), "text");
    EXPECT_EQ(fs::status(where).permissions() & fs::perms::group_all, fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(where));
}

TEST(shared_topologies, are_xml_files_that_exist) {
  const auto files = nearfork::support::shared_topologies();
  if (files.empty()) GTEST_SKIP() << nearfork::support::no_shared_topologies;
  for (const fs::path& file : files) {
    EXPECT_TRUE(fs::is_regular_file(file)) << file;
    EXPECT_EQ(file.extension(), ".xml") << file;
  }
}

}  // namespace
