// Which task comes out: the owner's newest, the thief's oldest.
#include <gtest/gtest.h>

#include <array>

#include "deque_fixture.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::support;

class deque_order : public ::testing::TestWithParam<bool> {
 protected:
  reclaimer reclaimer_;
  epoch_record record_{reclaimer_.clock};
  owner deque_{8, GetParam(), reclaimer_};
  thief thief_ = deque_.thief();
  std::array<item, 100> items_;

  void SetUp() override { reclaimer_.readers = {&record_}; }
  item* steal() {
    item* t = nullptr;
    return thief_.steal(t, record_) == steal_result::task ? t : nullptr;
  }
};

TEST_P(deque_order, the_owner_takes_the_newest_first) {
  for (item& i : items_) deque_.push(&i);
  for (std::size_t k = items_.size(); k-- > 0;) EXPECT_EQ(deque_.pop(), &items_[k]);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_P(deque_order, a_thief_takes_the_oldest_first) {
  for (item& i : items_) deque_.push(&i);
  deque_.publish_all();
  for (item& i : items_) EXPECT_EQ(steal(), &i);
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_P(deque_order, owner_and_thief_meet_in_the_middle) {
  for (item& i : items_) deque_.push(&i);
  deque_.publish_all();
  std::size_t low = 0;
  std::size_t high = items_.size();
  while (low < high) {
    EXPECT_EQ(steal(), &items_[low++]);
    if (low < high) {
      EXPECT_EQ(deque_.pop(), &items_[--high]);
    }
  }
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_P(deque_order, an_empty_deque_gives_nothing_again_and_again_and_works_afterwards) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(deque_.pop(), nullptr);
    EXPECT_EQ(steal(), nullptr);
    deque_.push(&items_[0]);
    EXPECT_EQ(deque_.pop(), &items_[0]);
    EXPECT_EQ(deque_.pop(), nullptr);
  }
}

TEST_P(deque_order, a_task_is_popped_as_expected_only_if_it_is_the_newest) {
  deque_.push(&items_[0]);
  deque_.push(&items_[1]);
  EXPECT_FALSE(deque_.pop_expected(&items_[0]));
  if (GetParam()) {
    EXPECT_TRUE(deque_.pop_expected(&items_[1]));
    EXPECT_TRUE(deque_.pop_expected(&items_[0]));
  } else {
    EXPECT_EQ(deque_.pop(), &items_[1]);
    EXPECT_EQ(deque_.pop(), &items_[0]);
  }
  EXPECT_FALSE(deque_.pop_expected(&items_[0]));
}

TEST_P(deque_order, a_stolen_task_is_not_popped_as_expected_though_its_slot_still_shows_it) {
  deque_.push(&items_[0]);
  deque_.publish_all();
  EXPECT_EQ(steal(), &items_[0]);
  EXPECT_FALSE(deque_.pop_expected(&items_[0]));
  EXPECT_EQ(deque_.pop(), nullptr);
  deque_.push(&items_[1]);
  EXPECT_EQ(deque_.pop(), &items_[1]);
}

TEST_P(deque_order, a_filter_can_refuse_the_oldest_task_and_leaves_it_there) {
  deque_.push(&items_[0]);
  deque_.publish_all();
  item* t = nullptr;
  EXPECT_EQ(thief_.steal(t, record_, [](item*) noexcept { return false; }), steal_result::rejected);
  EXPECT_EQ(t, nullptr);
  EXPECT_EQ(deque_.pop(), &items_[0]);
}

INSTANTIATE_TEST_SUITE_P(, deque_order, ::testing::Bool(), [](const auto& i) {
  return i.param ? "with_a_private_tail" : "all_public";
});

}  // namespace
