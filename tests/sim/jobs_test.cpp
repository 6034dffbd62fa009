#include "jobs.hpp"

#include <gtest/gtest.h>

#include <nearfork/error.hpp>
#include <string>

namespace {

using nearfork::sim::dag;
using nearfork::sim::fib_dag;
using nearfork::sim::job_kind;
using nearfork::sim::largest;
using nearfork::sim::make_job;

constexpr job_kind kinds[] = {job_kind::fib, job_kind::loop, job_kind::groups, job_kind::tree};

TEST(Jobs, FibOf20HasTheFoundingWorkAndSpan) {
  const dag g = fib_dag(20);
  EXPECT_EQ(g.work(), 43'781U);
  EXPECT_EQ(g.span(), 40U);
}

TEST(Jobs, FibHasThreeNodesACallAndOneALeaf) {
  std::uint64_t before = 1;  // F(n + 1): the leaves of fib(n)
  std::uint64_t leaves = 1;
  for (unsigned n = 0; n <= 22; ++n) {
    const dag g = fib_dag(n);
    EXPECT_EQ(g.work(), 4 * leaves - 3) << n;
    EXPECT_EQ(g.size(), g.work()) << n;
    EXPECT_EQ(g.span(), n < 2 ? 1 : 2 * n) << n;
    if (n >= 1) {
      const std::uint64_t next = before + leaves;
      before = leaves;
      leaves = next;
    }
  }
}

TEST(Jobs, TheChildComesBeforeTheContinuation) {
  const dag g = fib_dag(3);
  // spawn(3), spawn(2), leaf(1), continuation, leaf(0), sync(2), continuation, leaf(1), sync(3)
  ASSERT_EQ(g.size(), 9U);
  const auto successors = g.successors(g.root());
  ASSERT_EQ(successors.size(), 2U);
  EXPECT_EQ(successors[0], 1U);
  EXPECT_EQ(successors[1], 6U);
}

TEST(Jobs, NumbersFollowTheSerialExecution) {
  for (const job_kind kind : kinds) {
    const dag g = make_job(kind, 3);
    EXPECT_EQ(g.root(), 0U);
    for (dag::node v = 0; v < g.size(); ++v) {
      for (const dag::node s : g.successors(v)) EXPECT_GT(s, v) << to_string(kind);
      if (!g.successors(v).empty()) {
        EXPECT_TRUE(g.successors(v)[0] == v + 1 || g.successors(v).size() == 1) << to_string(kind);
      }
    }
  }
}

TEST(Jobs, ALoopHasALeafAnElementAndALogarithmicSpan) {
  for (unsigned n = 0; n <= 10; ++n) {
    const dag g = make_job(job_kind::loop, n);
    const std::uint64_t leaves = std::uint64_t{1} << n;
    EXPECT_EQ(g.work(), 20 * leaves + 3 * (leaves - 1)) << n;
    EXPECT_EQ(g.span(), 20 + 3 * n) << n;
  }
}

TEST(Jobs, GroupsNestTenWide) {
  std::uint64_t work = 10;
  std::uint64_t span = 10;
  for (unsigned n = 0; n <= 4; ++n) {
    const dag g = make_job(job_kind::groups, n);
    EXPECT_EQ(g.work(), work) << n;
    EXPECT_EQ(g.span(), span) << n;
    work = 10 * work + 11;
    span += 11;
  }
}

TEST(Jobs, TheTreeIsUnbalancedAndAlwaysTheSame) {
  const dag a = make_job(job_kind::tree, 8);
  const dag b = make_job(job_kind::tree, 8);
  EXPECT_EQ(a.work(), b.work());
  EXPECT_EQ(a.span(), b.span());
  EXPECT_GT(a.span(), 256U + 100U);  // far deeper than the chain that forks the subtrees
}

TEST(Jobs, TooLargeGraphsAreRefusedWithTheLimit) {
  for (const job_kind kind : kinds) {
    try {
      make_job(kind, largest(kind) + 1);
      FAIL() << to_string(kind);
    } catch (const nearfork::config_error& error) {
      EXPECT_NE(std::string(error.what()).find("0 to " + std::to_string(largest(kind))),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
