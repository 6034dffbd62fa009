/// Three and four threads: how knowledge travels.
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

program<cells> iriw(std::memory_order write, std::memory_order read, bool fences) {
  return make(
      {[write](cells& s) { s.x.store(1, write); }, [write](cells& s) { s.y.store(1, write); },
       [=](cells& s) {
         s.r[0] = s.x.load(read);
         if (fences) fence_seq_cst();
         s.r[1] = s.y.load(read);
       },
       [=](cells& s) {
         s.r[2] = s.y.load(read);
         if (fences) fence_seq_cst();
         s.r[3] = s.x.load(read);
       }},
      [](cells& s) { record({s.r[0], s.r[1], s.r[2], s.r[3]}); });
}

TEST(litmus, IRIW_readers_may_disagree_on_independent_writes_only_with_views) {
  const outcomes agreed = everything(4) - outcome{1, 0, 1, 0};
  expect_outcomes(iriw(relaxed, relaxed, false), agreed, agreed, everything(4));
  expect_outcomes(iriw(release, acquire, false), agreed, agreed, everything(4));
}

TEST(litmus, IRIW_with_fences_readers_agree) {
  const outcomes agreed = everything(4) - outcome{1, 0, 1, 0};
  for (const machine m : all_machines) {
    options how;
    how.on = m;
    const report r = explore(iriw(relaxed, relaxed, true), how);
    EXPECT_TRUE(r.correct()) << r.summary();
    EXPECT_EQ(r.outcomes, agreed) << name_of(m);
  }
}

TEST(litmus, WRC_causality_is_transitive_with_acquire_and_release) {
  const auto p = [](std::memory_order write, std::memory_order read) {
    return make({[](cells& s) { s.x.store(1, relaxed); },
                 [=](cells& s) {
                   s.r[0] = s.x.load(read);
                   s.y.store(1, write);
                 },
                 [=](cells& s) {
                   s.r[1] = s.y.load(read);
                   s.r[2] = s.x.load(relaxed);
                 }},
                [](cells& s) { record({s.r[0], s.r[1], s.r[2]}); });
  };
  const outcomes causal = everything(3) - outcome{1, 1, 0};
  expect_outcomes(p(release, acquire), causal, causal, causal);
  expect_outcomes(p(relaxed, relaxed), causal, causal, everything(3));
}

TEST(litmus, ISA2_a_message_passed_on_carries_the_first_one) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         s.y.store(1, release);
                       },
                       [](cells& s) {
                         s.r[0] = s.y.load(acquire);
                         s.z.store(1, release);
                       },
                       [](cells& s) {
                         s.r[1] = s.z.load(acquire);
                         s.r[2] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1], s.r[2]}); });
  const outcomes causal = everything(3) - outcome{1, 1, 0};
  expect_outcomes(p, causal, causal, causal);
}

TEST(litmus, RWC_needs_fences_in_both_readers) {
  const auto p = [](bool fences) {
    return make({[](cells& s) { s.x.store(1, relaxed); },
                 [=](cells& s) {
                   s.r[0] = s.x.load(relaxed);
                   if (fences) fence_seq_cst();
                   s.r[1] = s.y.load(relaxed);
                 },
                 [=](cells& s) {
                   s.y.store(1, relaxed);
                   if (fences) fence_seq_cst();
                   s.r[2] = s.x.load(relaxed);
                 }},
                [](cells& s) { record({s.r[0], s.r[1], s.r[2]}); });
  };
  const outcomes strong = everything(3) - outcome{1, 0, 0};
  expect_outcomes(p(false), strong, everything(3), everything(3));
  expect_outcomes(p(true), strong, strong, strong);
}

TEST(litmus, W_RWC_a_released_message_between_fences_keeps_the_order) {
  const auto p = [](std::memory_order write, std::memory_order read) {
    return make({[=](cells& s) {
                   s.x.store(1, relaxed);
                   s.z.store(1, write);
                 },
                 [=](cells& s) {
                   s.r[0] = s.z.load(read);
                   fence_seq_cst();
                   s.r[1] = s.y.load(relaxed);
                 },
                 [](cells& s) {
                   s.y.store(1, relaxed);
                   fence_seq_cst();
                   s.r[2] = s.x.load(relaxed);
                 }},
                [](cells& s) { record({s.r[0], s.r[1], s.r[2]}); });
  };
  const outcomes strong = everything(3) - outcome{1, 0, 0};
  expect_outcomes(p(release, acquire), strong, strong, strong);
  expect_outcomes(p(release, relaxed), strong, strong, strong);  // the fence is an acquire fence
  expect_outcomes(p(relaxed, acquire), strong, strong, everything(3));
}

TEST(litmus, a_fence_publishes_through_later_relaxed_stores) {
  const auto p = make({[](cells& s) { s.x.store(1, relaxed); },
                       [](cells& s) {
                         s.r[0] = s.x.load(relaxed);
                         fence_seq_cst();
                         s.y.store(1, relaxed);
                       },
                       [](cells& s) {
                         s.r[1] = s.y.load(relaxed);
                         fence_seq_cst();
                         s.r[2] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1], s.r[2]}); });
  const outcomes causal = everything(3) - outcome{1, 1, 0};
  expect_outcomes(p, causal, causal, causal);
}

}  // namespace
}  // namespace nearfork::model::litmus
