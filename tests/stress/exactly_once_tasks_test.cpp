// At least 10^8 tasks in all, each run exactly once, on deques that begin with
// two slots.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <nearfork/nearfork.hpp>
#include <vector>

#include "scale.hpp"

namespace {

nearfork::pool_options tiny(std::size_t workers) {
  nearfork::pool_options o;
  o.workers = workers;
  o.deque_capacity = 2;
  return o;
}

/// Marks the leaves [first, last) once each.
void mark(nearfork::context& c, std::vector<std::uint8_t>& seen, std::size_t first,
          std::size_t last) {
  if (last - first == 1) {
    ++seen[first];
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nearfork::join(
      c, [&](nearfork::context& i) { mark(i, seen, first, middle); },
      [&](nearfork::context& i) { mark(i, seen, middle, last); });
}

class exactly_once_tasks : public ::testing::TestWithParam<std::size_t> {};

TEST_P(exactly_once_tasks, of_joins) {
  nearfork::pool p(tiny(GetParam()));
  constexpr std::size_t leaves = 2'000'000;
  const std::size_t rounds = nearfork::support::scaled(20);
  std::vector<std::uint8_t> seen(leaves);
  for (std::size_t round = 1; round <= rounds; ++round) {
    p.run([&](nearfork::context& c) { mark(c, seen, 0, leaves); });
    for (std::size_t i = 0; i < leaves; ++i) ASSERT_EQ(seen[i], round) << "leaf " << i;
  }
  EXPECT_EQ(p.stats().total.tasks_run,
            rounds * leaves);  // leaves - 1 forks and a root each
}

TEST_P(exactly_once_tasks, of_groups) {
  nearfork::pool p(tiny(GetParam()));
  constexpr std::size_t n = 200'000;
  const std::size_t rounds = nearfork::support::scaled(20);
  std::vector<std::uint8_t> seen(n);
  for (std::size_t round = 1; round <= rounds; ++round) {
    p.run([&] {
      nearfork::task_group g;
      for (std::size_t i = 0; i < n; ++i) g.run([&seen, i] { ++seen[i]; });
      g.wait();
    });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], round) << "task " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, exactly_once_tasks, ::testing::Values(1, 2, 8));

}  // namespace
