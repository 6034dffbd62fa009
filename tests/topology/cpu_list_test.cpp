// The kernel's lists of CPU ids.
#include <gtest/gtest.h>

#include <nearfork/detail/cpu_list.hpp>

#include "rig.hpp"

namespace nearfork::tests {
namespace {

using detail::format_cpu_list;
using detail::parse_cpu_list;

TEST(CpuList, RangesAndSinglesAreRead) {
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11\n"), (ids{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5"), ids{5});
  EXPECT_EQ(parse_cpu_list("2047-2049"), (ids{2047, 2048, 2049}));
}

TEST(CpuList, NothingIsAnEmptyList) {
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_TRUE(parse_cpu_list("\n").empty());
}

TEST(CpuList, DisorderAndRepetitionDoNoHarm) {
  EXPECT_EQ(parse_cpu_list("9,1-2,2-3"), (ids{1, 2, 3, 9}));
}

TEST(CpuList, WhatCannotBeReadIsLeftOut) {
  EXPECT_EQ(parse_cpu_list("x,1,3-2,-4,5-,6"), (ids{1, 6}));
  EXPECT_TRUE(parse_cpu_list("0-4000000000").empty());
  EXPECT_TRUE(parse_cpu_list("99999999999999999999").empty());
}

TEST(CpuList, WhatIsWrittenIsReadBack) {
  for (const ids& list : {ids{0}, ids{0, 1}, ids{0, 2, 4}, ids{1, 2, 3, 1024, 1025, 4000}}) {
    EXPECT_EQ(parse_cpu_list(format_cpu_list(list)), list);
  }
  EXPECT_EQ(format_cpu_list(ids{0, 1, 2, 8}), "0-2,8");
  EXPECT_EQ(format_cpu_list(ids{}), "none");
}

}  // namespace
}  // namespace nearfork::tests
