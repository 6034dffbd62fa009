/// \file
/// A test program that hangs, for the test of the watchdog.
#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

namespace {

std::binary_semaphore never_released{0};

// Not inlined, so that a stack shows the name.
[[gnu::noinline]] void waits_for_ever_in_a_worker() {
  never_released.acquire();
  asm volatile("");  // keeps the call above from becoming a jump
}

TEST(hanging_program, ends_well_here) {}

TEST(hanging_program, hangs_here) {
  std::thread worker(waits_for_ever_in_a_worker);
  worker.join();
}

}  // namespace
