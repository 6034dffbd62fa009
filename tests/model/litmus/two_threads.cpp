/// Two threads: the classic shapes, named as in the literature (Alglave et al., "Herding cats").
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

TEST(litmus, SB_store_buffering_is_seen_by_buffers_and_views_only) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         s.r[0] = s.y.load(relaxed);
                       },
                       [](cells& s) {
                         s.y.store(1, relaxed);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  expect_outcomes(p, everything(2) - outcome{0, 0}, everything(2), everything(2));
}

TEST(litmus, SB_release_acquire_does_not_forbid_store_buffering) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, release);
                         s.r[0] = s.y.load(acquire);
                       },
                       [](cells& s) {
                         s.y.store(1, release);
                         s.r[1] = s.x.load(acquire);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  expect_outcomes(p, everything(2) - outcome{0, 0}, everything(2), everything(2));
}

TEST(litmus, SB_with_fences_is_sequential_everywhere) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         fence_seq_cst();
                         s.r[0] = s.y.load(relaxed);
                       },
                       [](cells& s) {
                         s.y.store(1, relaxed);
                         fence_seq_cst();
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes expected = everything(2) - outcome{0, 0};
  expect_outcomes(p, expected, expected, expected);
}

TEST(litmus, SB_with_one_fence_is_not_enough) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         fence_seq_cst();
                         s.r[0] = s.y.load(relaxed);
                       },
                       [](cells& s) {
                         s.y.store(1, relaxed);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  expect_outcomes(p, everything(2) - outcome{0, 0}, everything(2), everything(2));
}

TEST(litmus, SB_with_acquire_release_fences_is_not_enough) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         fence_of(acq_rel);
                         s.r[0] = s.y.load(relaxed);
                       },
                       [](cells& s) {
                         s.y.store(1, relaxed);
                         fence_of(acq_rel);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  expect_outcomes(p, everything(2) - outcome{0, 0}, everything(2), everything(2));
}

TEST(litmus, SB_with_exchanges_on_one_location_is_sequential) {
  // The read-modify-writes that stand in for fences under ThreadSanitizer.
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         s.z.fetch_add(1, acq_rel);
                         s.r[0] = s.y.load(relaxed);
                       },
                       [](cells& s) {
                         s.y.store(1, relaxed);
                         s.z.fetch_add(1, acq_rel);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes expected = everything(2) - outcome{0, 0};
  expect_outcomes(p, expected, expected, expected);
}

program<cells> message_passing(std::memory_order write, std::memory_order read) {
  return make({[write](cells& s) {
                 s.x.store(1, relaxed);
                 s.y.store(1, write);
               },
               [read](cells& s) {
                 s.r[0] = s.y.load(read);
                 s.r[1] = s.x.load(relaxed);
               }},
              [](cells& s) { record({s.r[0], s.r[1]}); });
}

TEST(litmus, MP_with_release_and_acquire_never_loses_the_message) {
  const outcomes expected = everything(2) - outcome{1, 0};
  expect_outcomes(message_passing(release, acquire), expected, expected, expected);
}

TEST(litmus, MP_relaxed_can_lose_the_message) {
  const outcomes strong = everything(2) - outcome{1, 0};
  expect_outcomes(message_passing(relaxed, acquire), strong, strong, everything(2));
  expect_outcomes(message_passing(release, relaxed), strong, strong, everything(2));
  expect_outcomes(message_passing(relaxed, relaxed), strong, strong, everything(2));
}

TEST(litmus, MP_with_fences_never_loses_the_message) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         fence_of(release);
                         s.y.store(1, relaxed);
                       },
                       [](cells& s) {
                         s.r[0] = s.y.load(relaxed);
                         fence_of(acquire);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes expected = everything(2) - outcome{1, 0};
  expect_outcomes(p, expected, expected, expected);
}

TEST(litmus, MP_with_the_fences_in_the_wrong_places_can_lose_the_message) {
  const auto p = make({[](cells& s) {
                         fence_of(release);
                         s.x.store(1, relaxed);
                         s.y.store(1, relaxed);
                       },
                       [](cells& s) {
                         fence_of(acquire);
                         s.r[0] = s.y.load(relaxed);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes strong = everything(2) - outcome{1, 0};
  expect_outcomes(p, strong, strong, everything(2));
}

TEST(litmus, LB_load_buffering_is_left_out) {
  // C++ allows 1, 1 here; no machine of the explorer does (README.md, limits).
  const auto p = make({[](cells& s) {
                         s.r[0] = s.x.load(relaxed);
                         s.y.store(1, relaxed);
                       },
                       [](cells& s) {
                         s.r[1] = s.y.load(relaxed);
                         s.x.store(1, relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes expected = everything(2) - outcome{1, 1};
  expect_outcomes(p, expected, expected, expected);
}

TEST(litmus, CoRR_a_location_never_goes_back) {
  const auto p = make({[](cells& s) { s.x.store(1, relaxed); },
                       [](cells& s) {
                         s.r[0] = s.x.load(relaxed);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  const outcomes expected = everything(2) - outcome{1, 0};
  expect_outcomes(p, expected, expected, expected);
}

TEST(litmus, CoWR_and_CoRW_own_writes_are_seen_and_ordered) {
  // T2 reads its own 2 or a 1 that overwrote it; a 1 that it read stays before its 2.
  const auto p = make({[](cells& s) { s.x.store(1, relaxed); },
                       [](cells& s) {
                         s.r[0] = s.x.load(relaxed);
                         s.x.store(2, relaxed);
                         s.r[1] = s.x.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1], s.x.load(relaxed)}); });
  const outcomes expected{{0, 2, 1}, {0, 2, 2}, {0, 1, 1}, {1, 2, 2}};
  expect_outcomes(p, expected, expected, expected);
}

program<cells> two_plus_two_writes(std::function<void()> between) {
  return make({[between](cells& s) {
                 s.x.store(1, relaxed);
                 between();
                 s.y.store(2, relaxed);
               },
               [between](cells& s) {
                 s.y.store(1, relaxed);
                 between();
                 s.x.store(2, relaxed);
               }},
              [](cells& s) { record({s.x.load(relaxed), s.y.load(relaxed)}); });
}

TEST(litmus, two_plus_two_W_both_first_writes_may_come_last_only_with_views) {
  const outcomes strong{{1, 2}, {2, 1}, {2, 2}};
  const outcomes weak{{1, 1}, {1, 2}, {2, 1}, {2, 2}};
  expect_outcomes(two_plus_two_writes([] {}), strong, strong, weak);
}

TEST(litmus, two_plus_two_W_with_release_stores_stays_weak) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, release);
                         s.y.store(2, release);
                       },
                       [](cells& s) {
                         s.y.store(1, release);
                         s.x.store(2, release);
                       }},
                      [](cells& s) { record({s.x.load(relaxed), s.y.load(relaxed)}); });
  const outcomes strong{{1, 2}, {2, 1}, {2, 2}};
  expect_outcomes(p, strong, strong, {{1, 1}, {1, 2}, {2, 1}, {2, 2}});
}

TEST(litmus, two_plus_two_W_with_fences_is_sequential) {
  const outcomes strong{{1, 2}, {2, 1}, {2, 2}};
  expect_outcomes(two_plus_two_writes([] { fence_seq_cst(); }), strong, strong, strong);
}

TEST(litmus, S_a_write_after_an_acquired_message_comes_later) {
  const auto p = [](std::memory_order write, std::memory_order read) {
    return make({[write](cells& s) {
                   s.x.store(2, relaxed);
                   s.y.store(1, write);
                 },
                 [read](cells& s) {
                   s.r[0] = s.y.load(read);
                   s.x.store(1, relaxed);
                 }},
                [](cells& s) { record({s.r[0], s.x.load(relaxed)}); });
  };
  const outcomes strong{{0, 1}, {0, 2}, {1, 1}};
  expect_outcomes(p(release, acquire), strong, strong, strong);
  expect_outcomes(p(relaxed, relaxed), strong, strong, {{0, 1}, {0, 2}, {1, 1}, {1, 2}});
}

TEST(litmus, R_needs_both_fences) {
  const auto p = [](bool first, bool second) {
    return make({[first](cells& s) {
                   s.x.store(1, relaxed);
                   if (first) fence_seq_cst();
                   s.y.store(1, relaxed);
                 },
                 [second](cells& s) {
                   s.y.store(2, relaxed);
                   if (second) fence_seq_cst();
                   s.r[0] = s.x.load(relaxed);
                 }},
                [](cells& s) { record({s.y.load(relaxed), s.r[0]}); });
  };
  const outcomes strong{{1, 0}, {1, 1}, {2, 1}};
  const outcomes weak{{1, 0}, {1, 1}, {2, 0}, {2, 1}};
  expect_outcomes(p(true, true), strong, strong, strong);
  expect_outcomes(p(false, true), strong, strong, weak);  // TSO keeps the writes in order
  expect_outcomes(p(true, false), strong, weak, weak);
}

TEST(litmus, sequentially_consistent_accesses_count_as_acquire_and_release) {
  // C++ forbids 0, 0; the explorer allows it on purpose (README.md, limits): sound for finding
  // errors, so protocols that need it forbidden use fences.
  const auto p = make({[](cells& s) {
                         s.x.store(1, seq_cst);
                         s.r[0] = s.y.load(seq_cst);
                       },
                       [](cells& s) {
                         s.y.store(1, seq_cst);
                         s.r[1] = s.x.load(seq_cst);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1]}); });
  expect_outcomes(p, machine::views, everything(2));
}

}  // namespace
}  // namespace nearfork::model::litmus
