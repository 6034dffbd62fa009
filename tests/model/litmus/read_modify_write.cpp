/// Read-modify-writes: atomic, and links of release sequences.
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

TEST(litmus, RMW_increments_are_never_lost) {
  const auto p = make({[](cells& s) { s.r[0] = s.x.fetch_add(1, relaxed); },
                       [](cells& s) { s.r[1] = s.x.fetch_add(1, relaxed); },
                       [](cells& s) { s.r[2] = s.x.fetch_add(1, relaxed); }},
                      [](cells& s) {
                        require(s.x.load(relaxed) == 3, "an increment was lost");
                        record({s.r[0], s.r[1], s.r[2]});
                      });
  const outcomes permutations{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  expect_outcomes(p, permutations, permutations, permutations);
}

TEST(litmus, separate_load_and_store_lose_increments) {
  const auto increment = [](cells& s) { s.x.store(s.x.load(relaxed) + 1, relaxed); };
  const auto p = make({increment, increment}, [](cells& s) { record({s.x.load(relaxed)}); });
  expect_outcomes(p, {{1}, {2}}, {{1}, {2}}, {{1}, {2}});
}

TEST(litmus, one_of_two_compare_exchanges_wins) {
  const auto take = [](int i) {
    return [i](cells& s) {
      int expected = 0;
      s.r[i] = s.x.compare_exchange_strong(expected, i + 1, relaxed, relaxed) ? 1 : 0;
    };
  };
  const auto p =
      make({take(0), take(1)}, [](cells& s) { record({s.r[0], s.r[1], s.x.load(relaxed)}); });
  const outcomes expected{{1, 0, 1}, {0, 1, 2}};
  expect_outcomes(p, expected, expected, expected);
}

TEST(litmus, a_failed_compare_exchange_may_have_read_a_stale_value) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         s.x.store(2, relaxed);
                         s.y.store(1, relaxed);
                       },
                       [](cells& s) {
                         s.r[0] = s.y.load(relaxed);
                         int expected = 7;
                         s.x.compare_exchange_strong(expected, 8, relaxed, relaxed);
                         s.r[1] = expected;
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes strong{{0, 0}, {0, 1}, {0, 2}, {1, 2}};
  const outcomes weak{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  expect_outcomes(p, strong, strong, weak);
}

TEST(litmus, a_weak_compare_exchange_fails_without_a_reason_when_allowed) {
  program<cells> p = make({[](cells& s) {
                            int expected = 0;
                            s.r[0] = s.x.compare_exchange_weak(expected, 1, relaxed, relaxed);
                          }},
                          [](cells& s) { record({s.r[0]}); });
  options how;
  EXPECT_EQ(explore(p, how).outcomes, (outcomes{{1}}));
  how.spurious = 1;
  EXPECT_EQ(explore(p, how).outcomes, (outcomes{{0}, {1}}));
}

program<cells> release_sequence(code middle, std::memory_order read) {
  return make({[](cells& s) {
                 s.data.set(1);
                 s.x.store(1, release);
               },
               middle,
               [read](cells& s) {
                 if (s.x.load(read) == 2) s.r[0] = s.data.get();
               }},
              [](cells& s) { record({s.r[0]}); });
}

TEST(litmus, a_release_sequence_goes_on_through_relaxed_read_modify_writes) {
  const auto p = release_sequence(
      [](cells& s) {
        int expected = 1;
        s.x.compare_exchange_strong(expected, 2, relaxed, relaxed);
      },
      acquire);
  expect_outcomes(p, {{0}, {1}}, {{0}, {1}}, {{0}, {1}});
}

TEST(litmus, a_release_sequence_ends_at_another_threads_store) {
  const auto p = release_sequence(
      [](cells& s) {
        if (s.x.load(relaxed) == 1) s.x.store(2, relaxed);
      },
      acquire);
  expect_error(p, machine::views, "race: plain read");
}

TEST(litmus, a_release_sequence_ends_at_a_later_relaxed_store_of_the_same_thread) {
  // So since C++20 (P0982); C++11 let it go on.
  const auto p = make({[](cells& s) {
                         s.data.set(1);
                         s.x.store(1, release);
                         s.x.store(2, relaxed);
                       },
                       [](cells& s) {
                         if (s.x.load(acquire) == 2) s.r[0] = s.data.get();
                       }},
                      {});
  expect_error(p, machine::views, "race: plain read");
}

TEST(litmus, an_acquire_release_exchange_passes_knowledge_both_ways) {
  const auto p = make({[](cells& s) {
                         s.y.store(1, relaxed);
                         s.r[0] = s.x.exchange(1, acq_rel);
                         s.r[1] = s.z.load(relaxed);
                       },
                       [](cells& s) {
                         s.z.store(1, relaxed);
                         s.r[2] = s.x.exchange(1, acq_rel);
                         s.r[3] = s.y.load(relaxed);
                       }},
                      [](cells& s) {
                        require(s.r[0] + s.r[2] == 1, "both or none came second");
                        require(s.r[0] == 0 || s.r[1] == 1, "the second does not see the first");
                        require(s.r[2] == 0 || s.r[3] == 1, "the second does not see the first");
                      });
  for (const machine m : all_machines) expect_correct(p, m);
}

}  // namespace
}  // namespace nearfork::model::litmus
