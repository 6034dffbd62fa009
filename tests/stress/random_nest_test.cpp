// Joins, groups, isolation, blocking and resizing nested at random, with exceptions.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <nearfork/nearfork.hpp>
#include <random>
#include <stdexcept>
#include <thread>

#include "scale.hpp"

namespace {

struct nest_error : std::runtime_error {
  nest_error() : std::runtime_error("nest") {}
};

/// The tree's shape depends on the seed alone, so its size is known from a serial walk.
class nest {
 public:
  explicit nest(bool parallel) : parallel_(parallel) {}

  std::uint64_t grow(std::uint64_t seed, int depth) {
    std::uint64_t x = seed * 0x9E3779B97F4A7C15ULL;
    x ^= x >> 29;
    if (depth == 0) return x & 0xff;
    const std::uint64_t a = x * 3 + 1;
    const std::uint64_t b = x * 5 + 2;
    if (!parallel_) return (x & 0xff) + grow(a, depth - 1) + grow(b, depth - 1);
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    switch (x >> 60 & 7) {
      case 0:
      case 1: {
        nearfork::task_group g;
        g.run([&] { left = grow(a, depth - 1); });
        g.run([&] { right = grow(b, depth - 1); });
        g.wait();
        break;
      }
      case 2:
        nearfork::isolate([&] { split(a, b, depth, left, right); });
        break;
      case 3:
        if (depth < 4) {
          nearfork::blocking([] { std::this_thread::yield(); });
        }
        split(a, b, depth, left, right);
        break;
      case 4:
        // Both branches finish, the exception comes here, and nothing else is disturbed.
        EXPECT_THROW(nearfork::join(
                         [&] {
                           left = grow(a, depth - 1);
                           throw nest_error();
                         },
                         [&] { right = grow(b, depth - 1); }),
                     nest_error);
        break;
      case 5: {
        nearfork::task_group g;
        g.run([&] { left = grow(a, depth - 1); });
        g.wait();
        g.run([] { throw nest_error(); });
        EXPECT_THROW(g.wait(), nest_error);
        right = grow(b, depth - 1);
        break;
      }
      default:
        split(a, b, depth, left, right);
        break;
    }
    return (x & 0xff) + left + right;
  }

 private:
  void split(std::uint64_t a, std::uint64_t b, int depth, std::uint64_t& left,
             std::uint64_t& right) {
    const auto [l, r] =
        nearfork::join([&] { return grow(a, depth - 1); }, [&] { return grow(b, depth - 1); });
    left = l;
    right = r;
  }
  bool parallel_;
};

class random_nest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(random_nest, gives_what_a_serial_walk_gives_while_the_pool_changes_size) {
  const char* given = std::getenv("NEARFORK_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("NEARFORK_TEST_SEED=" + std::to_string(seed));
  RecordProperty("seed", std::to_string(seed));
  nearfork::pool_options o;
  o.workers = GetParam();
  o.deque_capacity = 2;
  nearfork::pool p(o);
  std::atomic<bool> done{false};
  std::thread resizer([&] {
    std::mt19937_64 random(seed);
    while (!done) {
      p.resize(1 + random() % 6);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (std::size_t i = 0; i < nearfork::support::scaled(200); ++i) {
    const std::uint64_t expected = nest(false).grow(seed + i, 9);
    EXPECT_EQ(p.run([&] { return nest(true).grow(seed + i, 9); }), expected) << "round " << i;
    if (HasFailure()) break;
  }
  done = true;
  resizer.join();
}

INSTANTIATE_TEST_SUITE_P(, random_nest, ::testing::Values(1, 2, 8));

}  // namespace
