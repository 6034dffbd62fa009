/// The exploration that the project began with, at its own granularity: one owner's pop against
/// one thief's two attempts, sequential consistency, one shared access a step. Three variants of
/// the pop, deques of one and two elements, all schedules counted from the start.
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

enum class variant { chase_lev, without_compare_and_swap, top_before_bottom };

template <int elements>
struct deque {
  atomic<int> top{0}, bottom{elements};
  int taken[2] = {};  // how often each element was taken

  void take(int index) { ++taken[index]; }
};

template <class Deque>
void pop(Deque& s, variant v) {
  int t = 0;
  if (v == variant::top_before_bottom) t = s.top.load(seq_cst);
  const int b = s.bottom.load(seq_cst) - 1;
  s.bottom.store(b, seq_cst);
  if (v != variant::top_before_bottom) t = s.top.load(seq_cst);
  // The deciding step.
  if (t > b) {
    s.bottom.store(b + 1, seq_cst);
  } else if (t < b || v == variant::without_compare_and_swap) {
    step("take");
    s.take(b);
  } else {
    if (s.top.compare_exchange_strong(t, t + 1, seq_cst, seq_cst)) s.take(b);
    s.bottom.store(b + 1, seq_cst);
  }
}

template <class Deque>
void steal(Deque& s) {
  int t = s.top.load(seq_cst);
  const int b = s.bottom.load(seq_cst);
  if (t >= b) {
    step("give up");
  } else if (int expected = t; s.top.compare_exchange_strong(expected, t + 1, seq_cst, seq_cst)) {
    s.take(t);
  }
}

template <int elements>
report run(variant v, bool remember) {
  using state = deque<elements>;
  program<state> p;
  p.name = "founding table";
  p.threads = {{"owner", [v](state& s) { pop(s, v); }}, {"thief", [](state& s) {
                                                           steal(s);
                                                           steal(s);
                                                         }}};
  p.check = [](state& s) {
    const int top = s.top.load(seq_cst);
    const int bottom = s.bottom.load(seq_cst);
    for (int i = 0; i < elements; ++i) {
      const bool left = top <= i && i < bottom;
      require(s.taken[i] + (left ? 1 : 0) == 1, "an element is not once taken or left");
    }
  };
  options how;
  how.on = machine::sequential;
  how.reduce = false;
  how.remember_states = remember;
  how.count_schedules = true;
  return explore(p, how);
}

struct row {
  variant v;
  unsigned one, two;  // schedules on a deque of one and of two elements
  bool one_correct, two_correct;
};

TEST(founding_table, all_six_numbers_and_verdicts) {
  for (const row& r : {row{variant::chase_lev, 366, 336, true, true},
                       row{variant::without_compare_and_swap, 210, 210, false, false},
                       row{variant::top_before_bottom, 441, 231, true, false}}) {
    for (const bool remember : {false, true}) {
      const report one = run<1>(r.v, remember);
      const report two = run<2>(r.v, remember);
      EXPECT_EQ(one.schedules, r.one);
      EXPECT_EQ(two.schedules, r.two);
      EXPECT_EQ(one.failing == 0, r.one_correct) << one.counterexample;
      EXPECT_EQ(two.failing == 0, r.two_correct) << two.counterexample;
      EXPECT_TRUE(one.complete && two.complete);
    }
  }
}

}  // namespace
}  // namespace nearfork::model::litmus
