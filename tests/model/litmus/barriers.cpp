/// Asymmetric barriers: the heavy one pays for all light ones.
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

program<cells> dekker(std::function<void()> first, std::function<void()> second) {
  return make({[first](cells& s) {
                 s.x.store(1, relaxed);
                 first();
                 s.r[0] = s.y.load(relaxed);
               },
               [second](cells& s) {
                 s.y.store(1, relaxed);
                 second();
                 s.r[1] = s.x.load(relaxed);
               }},
              [](cells& s) { record({s.r[0], s.r[1]}); });
}

TEST(litmus, light_against_heavy_is_sequential) {
  const outcomes strong = everything(2) - outcome{0, 0};
  expect_outcomes(dekker([] { light_barrier(); }, [] { heavy_barrier(); }), strong, strong, strong);
}

TEST(litmus, heavy_against_heavy_is_sequential) {
  const outcomes strong = everything(2) - outcome{0, 0};
  expect_outcomes(dekker([] { heavy_barrier(); }, [] { heavy_barrier(); }), strong, strong, strong);
}

TEST(litmus, heavy_against_a_fence_is_sequential) {
  const outcomes strong = everything(2) - outcome{0, 0};
  expect_outcomes(dekker([] { fence_seq_cst(); }, [] { heavy_barrier(); }), strong, strong, strong);
}

TEST(litmus, light_against_light_orders_nothing) {
  expect_outcomes(dekker([] { light_barrier(); }, [] { light_barrier(); }),
                  everything(2) - outcome{0, 0}, everything(2), everything(2));
}

TEST(litmus, light_against_a_fence_orders_nothing) {
  expect_outcomes(dekker([] { light_barrier(); }, [] { fence_seq_cst(); }),
                  everything(2) - outcome{0, 0}, everything(2), everything(2));
}

TEST(litmus, heavy_against_nothing_orders_nothing_for_the_language) {
  // The compiler may move the accesses; a TSO machine that runs them in program order cannot
  // show it, since the heavy barrier drains its buffer.
  const outcomes strong = everything(2) - outcome{0, 0};
  expect_outcomes(dekker([] {}, [] { heavy_barrier(); }), strong, strong, everything(2));
}

TEST(litmus, a_light_barrier_is_no_release_for_others) {
  // T2's barrier came before T1's light one: it may then see z without the earlier y.
  const auto p = make({[](cells& s) {
                         s.y.store(1, relaxed);
                         light_barrier();
                         s.r[0] = s.x.load(relaxed);
                         s.z.store(1, relaxed);
                       },
                       [](cells& s) {
                         s.x.store(1, relaxed);
                         heavy_barrier();
                         s.r[1] = s.z.load(relaxed);
                         s.r[2] = s.y.load(relaxed);
                       }},
                      [](cells& s) { record({s.r[0], s.r[1], s.r[2]}); });
  const outcomes sequential = everything(3) - outcome{0, 0, 0} - outcome{0, 1, 0};
  const outcomes strong = sequential - outcome{1, 1, 0};
  expect_outcomes(p, strong, strong, sequential);
}

TEST(litmus, three_threads_one_heavy_barrier_for_two_light_ones) {
  const auto p = make({[](cells& s) {
                         s.x.store(1, relaxed);
                         light_barrier();
                         s.r[0] = s.z.load(relaxed);
                       },
                       [](cells& s) {
                         s.y.store(1, relaxed);
                         light_barrier();
                         s.r[1] = s.z.load(relaxed);
                       },
                       [](cells& s) {
                         s.z.store(1, relaxed);
                         heavy_barrier();
                         s.r[2] = s.x.load(relaxed);
                         s.r[3] = s.y.load(relaxed);
                       }},
                      [](cells& s) {
                        require(s.r[0] == 1 || s.r[2] == 1, "T1 and T3 missed each other");
                        require(s.r[1] == 1 || s.r[3] == 1, "T2 and T3 missed each other");
                      });
  for (const machine m : all_machines) {
    options how;
    how.on = m;
    const report r = explore(p, how);
    EXPECT_TRUE(r.correct()) << r.summary() << '\n' << r.counterexample;
  }
}

}  // namespace
}  // namespace nearfork::model::litmus
