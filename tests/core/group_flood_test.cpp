// A million tasks from a thread that is no worker.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <nearfork/nearfork.hpp>

#include "scale.hpp"

namespace {

long resident_bytes() {
  long total = 0;
  long resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return resident * sysconf(_SC_PAGESIZE);
}

class flood : public ::testing::TestWithParam<std::size_t> {};

TEST_P(flood, of_a_million_tasks_from_outside_fits_into_256_mib) {
  nearfork::pool_options o;
  o.workers = GetParam();
  nearfork::pool p(o);
  const std::size_t n = nearfork::support::scaled(1'000'000);
  std::atomic<std::size_t> ran{0};
  const long before = resident_bytes();
  nearfork::task_group g(p);
  for (std::size_t i = 0; i < n; ++i) {
    g.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
  }
  const long used = resident_bytes() - before;
  g.wait();
  EXPECT_EQ(ran, n);
  EXPECT_LT(used, 256L << 20);
}

INSTANTIATE_TEST_SUITE_P(, flood, ::testing::Values(1, 2, 8));

}  // namespace
