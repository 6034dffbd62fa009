// Work from outside is not starved by a worker that feeds itself.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nearfork/nearfork.hpp>
#include <thread>

#include "scoped_environment.hpp"

namespace {

using namespace std::chrono_literals;

/// Submits itself anew until told to stop.
struct again {
  nearfork::pool& p;
  std::atomic<bool>& stop;
  void operator()() const {
    if (!stop) p.submit(again{p, stop});
  }
};

class fairness : public ::testing::TestWithParam<std::size_t> {};

TEST_P(fairness, to_tasks_for_a_node_without_workers_beside_one_that_comes_again_and_again) {
  const nearfork::support::scoped_environment topology("NEARFORK_TOPOLOGY", "numa:2 core:1 pu:1");
  nearfork::pool_options o;
  o.workers = 1;
  nearfork::pool p(o);
  ASSERT_EQ(p.node_count(), 2U);
  std::atomic<bool> stop{false};
  std::atomic<bool> ran{false};
  p.submit(again{p, stop});
  p.submit_to(GetParam(), [&] { ran = true; });
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!ran && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(ran);
  stop = true;
}

INSTANTIATE_TEST_SUITE_P(, fairness, ::testing::Values(0, 1));

}  // namespace
