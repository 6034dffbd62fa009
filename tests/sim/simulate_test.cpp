#include "simulate.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nearfork/error.hpp>
#include <vector>

#include "jobs.hpp"
#include "plans.hpp"

namespace {

using namespace nearfork::sim;
using sim_test::three_nodes;
using sim_test::two_nodes;

constexpr ticks steps(ticks n) { return n * ticks_per_step; }

// A start, so many parallel nodes of one weight, an end.
dag fan(std::size_t width, std::uint64_t weight) {
  dag_builder b;
  const auto start = b.add();
  std::vector<dag::node> middle;
  for (std::size_t i = 0; i < width; ++i) middle.push_back(b.add(weight));
  const auto end = b.add();
  for (const auto v : middle) {
    b.edge(start, v);
    b.edge(v, end);
  }
  return std::move(b).build();
}

TEST(Simulate, OneWorkerTakesTheWorkAndNeverSteals) {
  for (const auto kind : {job_kind::fib, job_kind::loop, job_kind::groups, job_kind::tree}) {
    const dag job = make_job(kind, 4);
    const run_result r = simulate(job, flat_layout(1), {});
    EXPECT_EQ(r.time, steps(job.work())) << to_string(kind);
    EXPECT_EQ(r.busy, steps(job.work())) << to_string(kind);
    EXPECT_EQ(r.attempts, 0U) << to_string(kind);
  }
}

TEST(Simulate, EveryNodeRunsOnceAndNoScheduleBeatsTheLowerBounds) {
  for (const auto kind : {job_kind::fib, job_kind::loop, job_kind::groups, job_kind::tree}) {
    const dag job = make_job(kind, 4);
    for (const std::size_t workers : {2U, 3U, 16U, 100U}) {
      for (const auto end : {steal_end::oldest, steal_end::newest}) {
        for (const auto victims :
             {victim_policy::random, victim_policy::nearest, victim_policy::sweep}) {
          run_options options;
          options.end = end;
          options.victims = victims;
          options.seed = static_cast<std::uint32_t>(workers);
          const run_result r = simulate(job, flat_layout(workers), options);
          EXPECT_EQ(r.busy, steps(job.work()));
          EXPECT_GE(r.time, steps(job.span()));
          EXPECT_GE(r.time * workers, steps(job.work()));
          EXPECT_LE(r.steals, r.attempts);
        }
      }
    }
  }
}

TEST(Simulate, TheSameSeedGivesTheSameRunAndAnotherADifferentOne) {
  const dag job = fib_dag(15);
  const layout where = flat_layout(8);
  run_options options;
  options.seed = 5;
  const run_result a = simulate(job, where, options);
  const run_result b = simulate(job, where, options);
  options.seed = 6;
  const run_result c = simulate(job, where, options);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.attempts, b.attempts);
  EXPECT_NE(a.attempts, c.attempts);
}

// Worked by hand. Step 0: worker 0 runs the start, pushes one branch and keeps the other; worker 1
// acts after it in the same step and steals. Steps 1 to 10: the branches. Step 11: the end.
TEST(Simulate, AStolenNodeRunsInTheNextStep) {
  const run_result r = simulate(fan(2, 10), flat_layout(2), {});
  EXPECT_EQ(r.time, steps(12));
  EXPECT_EQ(r.steals, 1U);
}

// The same with two attempts' costs: the stolen branch starts at 5 (remote steal), ends at 15, the
// end follows.
TEST(Simulate, AStealCostsWhatItsRingCosts) {
  run_options options;
  options.costs.steal = {steps(1), steps(2), steps(3), steps(5)};
  const run_result r = simulate(fan(2, 10), layout_of(two_nodes()), options);
  EXPECT_EQ(r.time, steps(16));
  EXPECT_EQ(r.steals_by_ring, (std::array<std::uint64_t, ring_count>{0, 0, 0, 1}));
  EXPECT_EQ(r.attempts_by_ring[3], r.attempts);
}

TEST(Simulate, AttemptsThatFindNothingTakeTheirOwnTime) {
  run_options options;
  options.costs.steal = {steps(1), steps(1), steps(1), steps(5)};
  options.costs.miss = {steps(1), steps(1), steps(1), steps(2)};
  // Worker 0: start at 0, branch 1 to 11, misses at 11, 13, 15; the branch of worker 1 ends at 15,
  // and it runs the end itself from 15 to 16.
  const run_result r = simulate(fan(2, 10), layout_of(two_nodes()), options);
  EXPECT_EQ(r.time, steps(16));
  EXPECT_EQ(r.attempts, 4U);
  EXPECT_EQ(r.steals, 1U);
}

TEST(Simulate, FartherVictimsCostInProportionToTheirDistance) {
  layout l = layout_of(two_nodes());
  l.victims[1][0].scale = 1.5;  // as where other nodes of the machine are nearer to each other
  run_options options;
  options.costs.steal = {steps(1), steps(1), steps(1), steps(6)};
  EXPECT_EQ(simulate(fan(2, 10), l, options).time, steps(9 + 10 + 1));
}

TEST(Simulate, RemoteDataSlowsANodeByItsDistanceAndThePenalty) {
  dag_builder b;
  const auto only = b.add(10);
  const dag job = std::move(b).build();
  ASSERT_EQ(job.root(), only);
  layout l = layout_of(three_nodes());
  run_options options;
  options.home = home_policy::first;
  options.costs.remote_penalty = 0.5;
  EXPECT_EQ(simulate(job, l, options).time, steps(10));  // worker 0 has its data at hand
  EXPECT_EQ(simulate(job, l, options).away_work, 0U);

  options.home = home_policy::block;  // node 0 of 1: the first of three blocks, at home too
  EXPECT_EQ(simulate(job, l, options).time, steps(10));

  // One chain of three nodes dealt out over three homes, all run by worker 0.
  dag_builder chain;
  const auto one = chain.add(10);
  const auto two = chain.add(10);
  const auto three = chain.add(10);
  chain.edge(one, two);
  chain.edge(two, three);
  const dag line = std::move(chain).build();
  for (const auto home : {home_policy::block, home_policy::interleaved}) {
    options.home = home;
    const run_result r = simulate(line, l, options);
    // 10, then 10 (1 + 0.5 * 1), then 10 (1 + 0.5 * 2)
    EXPECT_EQ(r.time, steps(10 + 15 + 20)) << to_string(home);
    EXPECT_EQ(r.away_work, 20U) << to_string(home);
    EXPECT_EQ(r.busy, r.time) << to_string(home);
  }
  options.home = home_policy::none;
  EXPECT_EQ(simulate(line, l, options).time, steps(30));
}

TEST(Simulate, BlocksFollowTheSerialOrderAndInterleavingDealsOut) {
  dag_builder chain;
  auto last = chain.add(1);
  for (int i = 1; i < 6; ++i) {
    const auto next = chain.add(1);
    chain.edge(last, next);
    last = next;
  }
  const dag line = std::move(chain).build();
  const layout l = layout_of(three_nodes());
  run_options options;
  options.costs.remote_penalty = 1;
  options.home = home_policy::block;  // homes 0 0 1 1 2 2: 1 1 2 2 3 3 steps on worker 0
  EXPECT_EQ(simulate(line, l, options).time, steps(12));
  options.home = home_policy::interleaved;  // homes 0 1 2 0 1 2
  EXPECT_EQ(simulate(line, l, options).time, steps(12));
  EXPECT_EQ(simulate(line, l, options).away_work, 4U);
}

TEST(Simulate, OwnersGetTheirNodesBackInOrder) {
  // A start that enables four at once, the last one heavy. A thief that takes the oldest must get
  // the last; one that takes the newest gets the second.
  dag_builder b;
  const auto start = b.add();
  const auto end = b.add();
  for (const std::uint64_t weight : {1U, 1U, 1U, 20U}) {
    const auto v = b.add(weight);
    b.edge(start, v);
    b.edge(v, end);
  }
  const dag job = std::move(b).build();
  run_options options;
  EXPECT_EQ(simulate(job, flat_layout(2), options).time, steps(1 + 20 + 1));
  options.end = steal_end::newest;
  EXPECT_GT(simulate(job, flat_layout(2), options).time, steps(1 + 20 + 1));
}

TEST(Simulate, NodesWithoutWeightTakeNoTime) {
  dag_builder b;
  const auto one = b.add(0);
  const auto two = b.add(3);
  const auto three = b.add(0);
  b.edge(one, two);
  b.edge(two, three);
  const dag job = std::move(b).build();
  EXPECT_EQ(simulate(job, flat_layout(1), {}).time, steps(3));
  EXPECT_EQ(simulate(job, flat_layout(3), {}).time, steps(3));
}

TEST(Simulate, CostsThatWouldStopTheClockAreRefused) {
  const dag job = fib_dag(3);
  run_options options;
  options.costs.miss[2] = 0;
  EXPECT_THROW(simulate(job, flat_layout(2), options), nearfork::config_error);
  options = {};
  options.costs.remote_penalty = -1;
  EXPECT_THROW(simulate(job, flat_layout(2), options), nearfork::config_error);
  options.costs.remote_penalty = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(simulate(job, flat_layout(2), options), nearfork::config_error);
}

TEST(Simulate, TimesBeyond64BitsAreRefused) {
  dag_builder b;
  const auto one = b.add(std::uint64_t{1} << 53);
  const auto two = b.add(std::uint64_t{1} << 54);
  b.edge(one, two);
  const dag job = std::move(b).build();
  EXPECT_THROW(simulate(job, flat_layout(1), {}), nearfork::config_error);
}

}  // namespace
