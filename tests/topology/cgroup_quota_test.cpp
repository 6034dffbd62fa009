// CPU quotas of control groups v1 and v2, read from trees made for the purpose.
#include <gtest/gtest.h>

#include <string>

#include "rig.hpp"
#include "src/cgroup.hpp"

namespace nearfork::tests {
namespace {

using detail::cgroup_files;
using detail::cpu_quota;
using detail::read_cpu_quota;

class CgroupQuota : public ::testing::Test {
 protected:
  CgroupQuota() {
    const std::string root = folder_.path().string();
    files_ = {root + "/cgroup", root + "/mountinfo", root + "/conventional"};
  }
  void member(const std::string& text) { folder_.write("cgroup", text); }
  void mount_v2(const std::string& at, const std::string& root = "/") {
    mounts_ += "30 23 0:28 " + root + " " + folder_.path().string() + "/" + at +
               " rw,relatime shared:4 master:2 - cgroup2 cgroup2 rw,nsdelegate\n";
    folder_.write("mountinfo", mounts_);
  }
  void mount_v1(const std::string& at, const std::string& root = "/",
                const std::string& controllers = "cpu,cpuacct") {
    mounts_ += "31 23 0:29 " + root + " " + folder_.path().string() + "/" + at +
               " rw - cgroup cgroup rw," + controllers + "\n";
    folder_.write("mountinfo", mounts_);
  }
  void v1(const std::string& group, const std::string& quota, const std::string& period) {
    folder_.write(group + "/cpu.cfs_quota_us", quota + "\n");
    folder_.write(group + "/cpu.cfs_period_us", period + "\n");
  }
  [[nodiscard]] cpu_quota read() const { return read_cpu_quota(files_); }

  support::temp_dir folder_;
  cgroup_files files_;
  std::string mounts_;
};

TEST_F(CgroupQuota, WithoutAnyFilesThereIsNoLimitAndNoWarning) {
  const cpu_quota q = read();
  EXPECT_FALSE(q.cpus);
  EXPECT_TRUE(q.warnings.empty());
}

TEST_F(CgroupQuota, V2QuotaIsQuotaOverPeriod) {
  member("0::/job\n");
  mount_v2("m");
  folder_.write("m/job/cpu.max", "150000 100000\n");
  const cpu_quota q = read();
  ASSERT_TRUE(q.cpus);
  EXPECT_DOUBLE_EQ(*q.cpus, 1.5);
  EXPECT_EQ(q.source, (folder_.path() / "m/job/cpu.max").string());
}

TEST_F(CgroupQuota, V2MaxIsNoLimit) {
  member("0::/job\n");
  mount_v2("m");
  folder_.write("m/job/cpu.max", "max 100000\n");
  EXPECT_FALSE(read().cpus);
  EXPECT_TRUE(read().warnings.empty());
}

TEST_F(CgroupQuota, TheSmallestQuotaOverTheAncestorsCounts) {
  member("0::/a/b/c\n");
  mount_v2("m");
  folder_.write("m/a/cpu.max", "300000 100000\n");
  folder_.write("m/a/b/cpu.max", "100000 50000\n");
  folder_.write("m/a/b/c/cpu.max", "800000 100000\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0);
  folder_.write("m/cpu.max", "10000 100000\n");  // the top of a container's own view
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 0.1);
}

TEST_F(CgroupQuota, NeighboursDoNotCount) {
  member("0::/a/b\n");
  mount_v2("m");
  folder_.write("m/a/b/cpu.max", "max 100000\n");
  folder_.write("m/a/x/cpu.max", "100000 100000\n");
  folder_.write("m/a/b/below/cpu.max", "100000 100000\n");
  EXPECT_FALSE(read().cpus);
}

TEST_F(CgroupQuota, V1QuotaIsQuotaOverPeriod) {
  member("5:cpuset:/other\n4:cpu,cpuacct:/batch/job\n1:name=systemd:/x\n");
  mount_v1("m");
  v1("m/batch/job", "250000", "100000");
  v1("m/other", "100000", "100000");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.5);
}

TEST_F(CgroupQuota, V1MinusOneIsNoLimitAndAncestorsCount) {
  member("4:cpu:/batch/job\n");
  mount_v1("m", "/", "cpu");
  v1("m/batch/job", "-1", "100000");
  EXPECT_FALSE(read().cpus);
  EXPECT_TRUE(read().warnings.empty());
  v1("m/batch", "50000", "25000");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0);
}

TEST_F(CgroupQuota, OfBothVersionsTheSmallerCounts) {
  member("4:cpu:/j\n0::/j\n");
  mount_v1("one", "/", "cpu");
  mount_v2("two");
  v1("one/j", "400000", "100000");
  folder_.write("two/j/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 3.0);
  v1("one/j", "200000", "100000");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0);
}

TEST_F(CgroupQuota, AContainersMountShowsItsOwnPart) {
  // The group is named as the host sees it; the mount begins at the container's group.
  member("0::/docker/abc/inner\n");
  mount_v2("m", "/docker/abc");
  folder_.write("m/cpu.max", "200000 100000\n");
  folder_.write("m/inner/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0);
}

TEST_F(CgroupQuota, AGroupOutsideTheMountFallsBackToItsTop) {
  for (const char* group : {"/../other", "/elsewhere", "/docker/abcdef"}) {
    member("0::" + std::string(group) + "\n");
    mounts_.clear();
    mount_v2("m", "/docker/abc");
    folder_.write("m/cpu.max", "200000 100000\n");
    EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0) << group;
  }
}

TEST_F(CgroupQuota, BlanksInPathsAreUnderstood) {
  member("0::/a b:c\n");
  mount_v2("with\\040blank");
  folder_.write("with blank/a b:c/cpu.max", "500000 100000\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 5.0);
}

TEST_F(CgroupQuota, WithoutMountsTheConventionalPlacesAreTried) {
  member("4:cpu,cpuacct:/j\n0::/j\n");
  folder_.write("conventional/j/cpu.max", "600000 100000\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 6.0);
  v1("conventional/cpu,cpuacct/j", "300000", "100000");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 3.0);
  v1("conventional/cpu/j", "100000", "100000");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 1.0);
}

TEST_F(CgroupQuota, GarbageInV2IsIgnoredWithAWarning) {
  member("0::/a/b\n");
  mount_v2("m");
  folder_.write("m/a/cpu.max", "400000 100000\n");
  for (const char* garbage :
       {"", "\n", "many 100000", "100000 0", "-100000 100000", "0 100000", "1e5 100000",
        "100000 100000 100000", "99999999999999999999 100000", "1 x", "\x01\xff"}) {
    folder_.write("m/a/b/cpu.max", garbage);
    const cpu_quota q = read();
    EXPECT_DOUBLE_EQ(q.cpus.value_or(0), 4.0) << garbage;
    ASSERT_EQ(q.warnings.size(), 1U) << garbage;
    EXPECT_NE(q.warnings[0].find((folder_.path() / "m/a/b/cpu.max").string()), std::string::npos);
  }
}

TEST_F(CgroupQuota, GarbageInV1IsIgnoredWithAWarning) {
  member("4:cpu:/j\n");
  mount_v1("m", "/", "cpu");
  for (const auto& [quota, period] : {std::pair{"x", "100000"},
                                      {"100000", "x"},
                                      {"100000", "0"},
                                      {"0", "100000"},
                                      {"-2", "100000"},
                                      {"100000", ""},
                                      {"", "100000"},
                                      {"1 2", "100000"}}) {
    v1("m/j", quota, period);
    const cpu_quota q = read();
    EXPECT_FALSE(q.cpus) << quota << "/" << period;
    EXPECT_EQ(q.warnings.size(), 1U) << quota << "/" << period;
  }
}

TEST_F(CgroupQuota, GarbageInTheMembershipFileDoesNoHarm) {
  mount_v2("m");
  folder_.write("m/cpu.max", "200000 100000\n");
  for (const char* garbage : {"", "\n\n", "0", "0:", "::", "nonsense\n", "4:cpu\n"}) {
    member(garbage);
    EXPECT_TRUE(read().warnings.empty()) << garbage;
  }
  member("nonsense\n0::/\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0);
}

TEST_F(CgroupQuota, GarbageInTheMountsDoesNoHarm) {
  member("0::/j\n");
  folder_.write("mountinfo", "x\n - \n - cgroup2\n1 2 3 - cgroup cgroup rw,cpu\n");
  folder_.write("conventional/j/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(read().cpus.value_or(0), 2.0);
}

}  // namespace
}  // namespace nearfork::tests
