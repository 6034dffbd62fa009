#include <gtest/gtest.h>

#include "watchdog.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // Listing the tests must print the list alone, and starts nothing.
  if (!::testing::GTEST_FLAG(list_tests)) nearfork::support::start_watchdog();
  return RUN_ALL_TESTS();
}
