// The private tail: who may see what, and how a thief gets at it.
#include <gtest/gtest.h>

#include <array>

#include "deque_fixture.hpp"
#include "sleep/futex.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::support;

class deque_privacy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!heavy_barrier_available()) GTEST_SKIP() << "this kernel has no membarrier";
    reclaimer_.readers = {&record_};
  }
  std::size_t steal_all() {
    std::size_t n = 0;
    item* t = nullptr;
    while (thief_.steal(t, record_) == steal_result::task) ++n;
    return n;
  }

  reclaimer reclaimer_;
  epoch_record record_{reclaimer_.clock};
  owner deque_{8, true, reclaimer_};
  thief thief_ = deque_.thief();
  std::array<item, 101> items_;
};

TEST_F(deque_privacy, pushed_tasks_are_private_until_somebody_asks) {
  for (item& i : items_) deque_.push(&i);
  EXPECT_TRUE(thief_.looks_empty());
  EXPECT_EQ(steal_all(), 0U);
}

TEST_F(deque_privacy, the_push_after_a_request_publishes_half) {
  for (int i = 0; i < 9; ++i) deque_.push(&items_[0]);
  thief_.request();
  EXPECT_TRUE(deque_.asked());
  EXPECT_EQ(deque_.push(&items_[1]), owner::push_result::published);
  EXPECT_FALSE(deque_.asked());
  EXPECT_EQ(steal_all(), 5U);
}

TEST_F(deque_privacy, a_single_task_is_published_when_asked_for) {
  thief_.request();
  EXPECT_EQ(deque_.push(&items_[0]), owner::push_result::published);
  EXPECT_EQ(steal_all(), 1U);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_F(deque_privacy, an_owner_in_a_long_task_loses_its_tail_by_revocations) {
  // 100 forks, then a long leaf: the owner neither pushes nor pops.
  for (int i = 0; i < 100; ++i) deque_.push(&items_[static_cast<std::size_t>(i)]);
  std::size_t got = 0;
  int revocations = 0;
  while (thief_.revoke() == revoke_result::published) {
    ++revocations;
    got += steal_all();
  }
  EXPECT_EQ(got, 100U);
  EXPECT_LE(revocations, 8);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_F(deque_privacy, a_revocation_of_an_empty_deque_finds_nothing) {
  EXPECT_EQ(thief_.revoke(), revoke_result::nothing);
  deque_.push(&items_[0]);
  EXPECT_EQ(deque_.pop(), &items_[0]);
  EXPECT_EQ(thief_.revoke(), revoke_result::nothing);
}

TEST_F(deque_privacy, the_owner_takes_revoked_tasks_back_when_nobody_steals_them) {
  for (item& i : items_) deque_.push(&i);
  ASSERT_EQ(thief_.revoke(), revoke_result::published);
  for (std::size_t k = items_.size(); k-- > 0;) EXPECT_EQ(deque_.pop(), &items_[k]);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_F(deque_privacy, a_request_survives_growth) {
  thief_.request();
  deque_.push(&items_[0]);  // served: published
  for (int i = 0; i < 5; ++i) deque_.push(&items_[1]);
  thief_.request();
  const auto before = deque_.capacity();
  for (int i = 0; i < 40; ++i) deque_.push(&items_[2]);
  EXPECT_GT(deque_.capacity(), before);
  EXPECT_GT(steal_all(), 1U);
}

}  // namespace
