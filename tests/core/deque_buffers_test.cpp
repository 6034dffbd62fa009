// Growing, shrinking, moving, and giving buffers back.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "deque_fixture.hpp"

namespace {

using namespace nearfork::detail;
using namespace nearfork::support;

class deque_buffers : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { reclaimer_.readers = {&record_}; }
  reclaimer reclaimer_;
  epoch_record record_{reclaimer_.clock};
  std::vector<item> items_ = std::vector<item>(5000);
};

TEST_P(deque_buffers, grow_from_2_to_2048_and_keep_every_task) {
  owner d(2, GetParam(), reclaimer_);
  for (std::size_t i = 0; i < 2047; ++i) d.push(&items_[i]);
  EXPECT_EQ(d.capacity(), 2048);
  EXPECT_EQ(d.growths(), 10U);
  for (std::size_t i = 2047; i-- > 0;) ASSERT_EQ(d.pop(), &items_[i]);
}

TEST_P(deque_buffers, shrink_when_mostly_empty_but_not_below_the_first_size) {
  owner d(4, GetParam(), reclaimer_);
  for (std::size_t i = 0; i < 3000; ++i) d.push(&items_[i]);
  while (d.pop() != nullptr) {
  }
  ASSERT_EQ(d.capacity(), 4096);
  for (int i = 0; i < 20; ++i) d.shrink();
  EXPECT_EQ(d.capacity(), 4);
  EXPECT_EQ(d.shrinks(), 10U);
  d.push(&items_[0]);
  EXPECT_EQ(d.pop(), &items_[0]);
}

TEST_P(deque_buffers, shrinking_keeps_the_tasks_that_are_there) {
  owner d(2, GetParam(), reclaimer_);
  for (std::size_t i = 0; i < 1000; ++i) d.push(&items_[i]);
  for (std::size_t i = 1000; i-- > 20;) ASSERT_EQ(d.pop(), &items_[i]);
  for (int i = 0; i < 20; ++i) d.shrink();
  EXPECT_LE(d.capacity(), 256);
  for (std::size_t i = 20; i-- > 0;) ASSERT_EQ(d.pop(), &items_[i]);
}

TEST_P(deque_buffers, indices_creep_up_without_growing_the_buffer) {
  owner d(16, GetParam(), reclaimer_);
  thief t = d.thief();
  // Every task is stolen: each lap ends at the buffer's end and begins a new one of the same size.
  for (int round = 0; round < 10'000; ++round) {
    d.push(&items_[0]);
    d.publish_all();
    item* got = nullptr;
    ASSERT_EQ(t.steal(got, record_), steal_result::task);
    ASSERT_EQ(d.pop(), nullptr);
  }
  EXPECT_EQ(d.capacity(), 16);
  EXPECT_GT(d.position(), 9'000);
}

TEST_P(deque_buffers, a_thief_held_before_its_compare_and_swap_still_reads_the_old_buffer) {
  owner d(2, GetParam(), reclaimer_);
  thief t = d.thief();
  d.push(&items_[0]);
  d.publish_all();
  std::size_t freed_while_held = 99;
  item* got = nullptr;
  // The filter runs between reading the slot and the compare-and-swap.
  const auto result = t.steal(got, record_, [&](item* oldest) {
    for (std::size_t i = 1; i < 8; ++i) d.push(&items_[i]);  // grows twice
    freed_while_held = d.memory().freed;
    EXPECT_EQ(oldest, &items_[0]);
    return true;
  });
  EXPECT_GE(d.growths(), 2U);
  EXPECT_EQ(freed_while_held, 0U) << "freed under a reader";
  EXPECT_EQ(result, steal_result::task);
  EXPECT_EQ(got, &items_[0]);
  d.memory().collect();
  EXPECT_EQ(d.memory().waiting(), 0U) << "nobody reads any more";
  for (std::size_t i = 8; i-- > 1;) EXPECT_EQ(d.pop(), &items_[i]);
}

TEST_P(deque_buffers, a_thief_held_before_its_compare_and_swap_loses_to_the_owner) {
  owner d(4, GetParam(), reclaimer_);
  thief t = d.thief();
  d.push(&items_[0]);
  d.publish_all();
  item* got = nullptr;
  EXPECT_EQ(t.steal(got, record_,
                    [&](item*) {
                      EXPECT_EQ(d.pop(), &items_[0]);
                      return true;
                    }),
            steal_result::retry);
  EXPECT_EQ(got, nullptr);
}

TEST_P(deque_buffers, without_memory_for_growth_a_push_says_so_and_nothing_is_lost) {
  owner d(4, GetParam(), reclaimer_);
  d.memory().fail_from = 1;
  std::size_t pushed = 0;
  while (d.push(&items_[pushed]) != owner::push_result::no_memory) ++pushed;
  EXPECT_EQ(pushed, 3U);
  // Again and again, and with room made in between.
  EXPECT_EQ(d.push(&items_[50]), owner::push_result::no_memory);
  EXPECT_EQ(d.pop(), &items_[2]);
  EXPECT_NE(d.push(&items_[60]), owner::push_result::no_memory);
  EXPECT_EQ(d.push(&items_[61]), owner::push_result::no_memory);
  d.memory().fail_from = 1000;
  EXPECT_NE(d.push(&items_[62]), owner::push_result::no_memory);
  EXPECT_EQ(d.pop(), &items_[62]);
  EXPECT_EQ(d.pop(), &items_[60]);
  EXPECT_EQ(d.pop(), &items_[1]);
  EXPECT_EQ(d.pop(), &items_[0]);
  EXPECT_EQ(d.pop(), nullptr);
}

TEST_P(deque_buffers, all_are_given_back_in_the_end) {
  const long before = poisoning_memory::alive;
  {
    owner d(2, GetParam(), reclaimer_);
    for (std::size_t i = 0; i < 500; ++i) d.push(&items_[i]);
  }
  EXPECT_EQ(poisoning_memory::alive, before);
}

TEST(deque_buffers_alone, the_first_allocation_failing_throws) {
  struct none {
    deque_buffer<item>* allocate(std::int64_t) { return nullptr; }
    void retire(deque_buffer<item>*) {}
    void release(deque_buffer<item>*) {}
  };
  using failing = deque_owner<item, none>;
  EXPECT_THROW(failing(8, true), std::bad_alloc);
}

INSTANTIATE_TEST_SUITE_P(, deque_buffers, ::testing::Bool(), [](const auto& i) {
  return i.param ? "with_a_private_tail" : "all_public";
});

}  // namespace
