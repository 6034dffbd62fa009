// One small task a millisecond keeps no core spinning.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <nearfork/nearfork.hpp>
#include <thread>

namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

TEST(idle, a_small_task_a_millisecond_uses_less_than_a_fifth_of_a_core) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers cost more than the tasks";
#endif
  nearfork::pool p;
  std::this_thread::sleep_for(100ms);
  const auto before = processor_time();
  for (int i = 0; i < 1000; ++i) {
    p.submit([] {});
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(processor_time() - before, 200ms);
}

}  // namespace
