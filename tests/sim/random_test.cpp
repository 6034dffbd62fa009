#include "random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace {

using nearfork::sim::generator;
using nearfork::sim::init_by_array;

// The first outputs that the generator's authors published for this key.
TEST(Random, InitByArrayGivesThePublishedSequence) {
  init_by_array key{0x123, 0x234, 0x345, 0x456};
  std::mt19937 engine(key);
  for (const std::uint32_t expected :
       {1067595299U, 955945823U, 477289528U, 4107218783U, 4228976476U}) {
    EXPECT_EQ(engine(), expected);
  }
}

// What CPython's random.seed(seed) and getrandbits(32) give.
TEST(Random, ASeedGivesTheSequenceOfItsOneWordKey) {
  const std::array<std::pair<std::uint32_t, std::array<std::uint32_t, 3>>, 4> cases{{
      {0U, {3626764237U, 1654615998U, 3255389356U}},
      {1U, {577090037U, 2444712010U, 3639700191U}},
      {2U, {4106135923U, 3707026329U, 4070888059U}},
      {4294967295U, {2728839433U, 2661025012U, 872737089U}},
  }};
  for (const auto& [seed, outputs] : cases) {
    generator random(seed);
    for (const std::uint32_t expected : outputs) EXPECT_EQ(random.next(), expected) << seed;
  }
}

// What CPython's random.randrange(15) gives after three outputs: the rule draws the top four bits,
// and again where they are 15.
TEST(Random, DrawsBelowABoundComeFromTheTopBits) {
  generator random(0);
  for (int i = 0; i < 3; ++i) random.next();
  for (const std::uint32_t expected : {14U, 6U, 0U, 4U, 8U, 7U}) {
    EXPECT_EQ(random.below(15), expected);
  }
}

TEST(Random, DrawsReachEveryNumberBelowTheBoundAndNoOther) {
  for (const std::uint32_t bound : {1U, 2U, 3U, 15U, 16U, 17U}) {
    generator random(7);
    std::vector<int> seen(bound, 0);
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t r = random.below(bound);
      ASSERT_LT(r, bound);
      ++seen[r];
    }
    for (const int count : seen) EXPECT_GT(count, 0) << bound;
  }
}

TEST(Random, TheLargestBoundIsAccepted) {
  generator random(3);
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below(0xffffffffU), 0xffffffffU);
}

TEST(Random, AnEmptyKeyIsRefused) { EXPECT_THROW(init_by_array{}, std::invalid_argument); }

}  // namespace
