// Masks of any size, read and set for the calling thread alone.
#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>
#include <nearfork/detail/affinity.hpp>
#include <thread>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

using detail::set_thread_affinity;
using detail::thread_affinity;

TEST(Affinity, TheThreadsMaskIsWhatTheKernelSays) {
  const auto mask = thread_affinity();
  ASSERT_TRUE(mask);
  ASSERT_FALSE(mask->empty());
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(mask->size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const std::size_t cpu : *mask) EXPECT_TRUE(CPU_ISSET(cpu, &set));
}

TEST(Affinity, BindingOneThreadLeavesTheOthersAlone) {
  const auto before = thread_affinity();
  ASSERT_TRUE(before);
  const ids last{before->back()};
  ids in_thread;
  std::thread([&] {
    ASSERT_EQ(set_thread_affinity(last), 0);
    in_thread = thread_affinity().value();
  }).join();
  EXPECT_EQ(in_thread, last);
  EXPECT_EQ(thread_affinity(), before);
}

TEST(Affinity, CpusThatAreNotThereAreRefusedAndNothingChanges) {
  const auto before = thread_affinity();
  for (const std::size_t cpu : ids{5000, 70000, 2000000}) {
    EXPECT_EQ(set_thread_affinity(ids{cpu}), EINVAL) << cpu;
  }
  EXPECT_EQ(set_thread_affinity(ids{}), EINVAL);
  EXPECT_EQ(thread_affinity(), before);
}

TEST(Affinity, AMaskBeyond1024CpusReachesTheKernel) {
  // CPUs that exist, and one far beyond the size of the C library's mask: the kernel takes the
  // ones it has.
  const auto before = thread_affinity();
  ids wide = *before;
  wide.push_back(3000);
  EXPECT_EQ(set_thread_affinity(wide), 0);
  EXPECT_EQ(thread_affinity(), before);
}

TEST(Affinity, DiscoveryLeavesTheCallersMaskAsItWas) {
  std::thread([] {
    const ids one{thread_affinity().value().front()};
    ASSERT_EQ(set_thread_affinity(one), 0);
    const placement p = plan(machine::native());
    EXPECT_EQ(p.workers.size(), 1U);
    EXPECT_EQ(p.allowed_pus, one);
    EXPECT_EQ(thread_affinity().value(), one);
  }).join();
}

TEST(Affinity, TheMaskIsReadAnewForEachThread) {
  const auto whole = thread_affinity();
  EXPECT_EQ(plan(machine::native()).allowed_pus, *whole);
  std::thread([&] {
    ASSERT_EQ(set_thread_affinity(ids{whole->back()}), 0);
    EXPECT_EQ(plan(machine::native()).allowed_pus, ids{whole->back()});
  }).join();
  EXPECT_EQ(plan(machine::native()).allowed_pus, *whole);
}

}  // namespace
}  // namespace nearfork::tests
