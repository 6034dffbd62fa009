/// Sleeping and waking.
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

struct bed {
  atomic<std::uint32_t> word;
  atomic<int> work;
  int woken = 0;
};

void sleep_until_set(bed& s) {
  while (s.word.load(acquire) == 0) detail::futex_wait(s.word, 0);
}

TEST(futex, a_wake_after_the_store_is_never_lost) {
  program<bed> p{"store, wake",
                 {{"sleeper", sleep_until_set},
                  {"waker",
                   [](bed& s) {
                     s.word.store(1, relaxed);
                     detail::futex_wake(s.word, 1);
                   }}},
                 {}};
  for (const machine m : all_machines)
    for (const unsigned spurious : {0u, 2u}) {
      options how;
      how.spurious = spurious;
      expect_correct(p, m, how);
    }
}

TEST(futex, a_wake_before_the_store_is_lost) {
  program<bed> p{"wake, store",
                 {{"sleeper", sleep_until_set},
                  {"waker",
                   [](bed& s) {
                     detail::futex_wake(s.word, 1);
                     s.word.store(1, relaxed);
                   }}},
                 {}};
  for (const machine m : all_machines) expect_error(p, m, "deadlock");
}

TEST(futex, one_wake_is_not_enough_for_two_sleepers) {
  const auto waker = [](std::uint32_t count) {
    return [count](bed& s) {
      s.word.store(1, release);
      detail::futex_wake(s.word, count);
    };
  };
  program<bed> one{
      "wake one", {{"a", sleep_until_set}, {"b", sleep_until_set}, {"waker", waker(1)}}, {}};
  program<bed> two{
      "wake two", {{"a", sleep_until_set}, {"b", sleep_until_set}, {"waker", waker(2)}}, {}};
  for (const machine m : all_machines) {
    expect_error(one, m, "deadlock");
    expect_correct(two, m);
  }
}

TEST(futex, either_sleeper_may_be_the_one_that_is_woken) {
  struct beds {
    atomic<std::uint32_t> word;
    int up[2] = {};
  };
  const auto sleeper = [](int i) {
    return [i](beds& s) {
      detail::futex_wait(s.word, 0);
      s.up[i] = 1;
    };
  };
  program<beds> p{"one of two",
                  {{"a", sleeper(0)},
                   {"b", sleeper(1)},
                   {"waker", [](beds& s) { detail::futex_wake(s.word, 1); }}},
                  [](beds& s) { record({s.up[0], s.up[1]}); }};
  options how;
  how.may_end_asleep = true;
  for (const machine m : all_machines) {
    how.on = m;
    const report r = explore(p, how);
    EXPECT_TRUE(r.correct()) << r.summary() << r.counterexample;
    EXPECT_EQ(r.outcomes, (outcomes{{0, 0}, {0, 1}, {1, 0}})) << name_of(m);
  }
}

/// The classic way to lose a wake-up: the sleeper looks for work, then announces itself.
program<bed> announce(bool fences) {
  return {fences ? "announce with fences" : "announce without",
          {{"worker",
            [fences](bed& s) {
              s.word.store(1, relaxed);  // I am about to sleep
              if (fences) fence_seq_cst();
              if (s.work.load(relaxed) == 0) detail::futex_wait(s.word, 1);
            }},
           {"giver",
            [fences](bed& s) {
              s.work.store(1, relaxed);
              if (fences) fence_seq_cst();
              if (s.word.load(relaxed) == 1) {
                s.word.store(0, relaxed);
                detail::futex_wake(s.word, 1);
              }
            }}},
          {}};
}

TEST(futex, announcing_and_looking_needs_fences_on_weak_machines) {
  for (const machine m : all_machines) expect_correct(announce(true), m);
  expect_correct(announce(false), machine::sequential);
  expect_error(announce(false), machine::total_store_order, "deadlock");
  expect_error(announce(false), machine::views, "deadlock");
}

TEST(futex, a_schedule_may_end_asleep_when_the_program_says_so) {
  program<bed> p{"nobody comes", {{"sleeper", sleep_until_set}}, [](bed&) {
                   require(!ended(), "the sleeper has ended");
                 }};
  options how;
  how.may_end_asleep = true;
  for (const machine m : all_machines) expect_correct(p, m, how);
}

}  // namespace
}  // namespace nearfork::model::litmus
