/// What counts as an error: races, lifetimes, deadlock, loops without end.
#include "litmus.hpp"

namespace nearfork::model::litmus {
namespace {

TEST(errors, unordered_plain_accesses_race_in_every_machine) {
  const auto writes = make({[](cells& s) { s.data.set(1); }, [](cells& s) { s.data.set(2); }}, {});
  const auto read = make({[](cells& s) { s.data.set(1); }, [](cells& s) { s.data.get(); }}, {});
  for (const machine m : all_machines) {
    expect_error(writes, m, "race: plain write");
    expect_error(read, m, "race: plain");
  }
}

TEST(errors, plain_reads_do_not_race_with_each_other) {
  const auto p =
      make({[](cells& s) { s.r[0] = s.data.get(); }, [](cells& s) { s.r[1] = s.data.get(); }},
           [](cells& s) { s.data.set(1); });
  for (const machine m : all_machines) expect_correct(p, m);
}

TEST(errors, a_race_is_found_even_when_the_accesses_are_far_apart) {
  // The reader comes long after the writer in every schedule that reads 1, but nothing orders it.
  const auto p = make({[](cells& s) {
                         s.data.set(1);
                         s.x.store(1, relaxed);
                       },
                       [](cells& s) {
                         if (s.x.load(acquire) == 1) s.y.store(1, release);
                       },
                       [](cells& s) {
                         if (s.y.load(acquire) == 1) s.data.get();
                       }},
                      {});
  expect_error(p, machine::views, "race: plain read");
}

TEST(errors, a_fence_orders_but_does_not_synchronise) {
  // Both threads fence; no message is read that would make one's write happen before the other.
  const auto p = make({[](cells& s) {
                         s.data.set(1);
                         fence_seq_cst();
                       },
                       [](cells& s) {
                         fence_seq_cst();
                         s.data.get();
                       }},
                      {});
  expect_error(p, machine::views, "race: plain");
}

struct node {
  explicit node(int v) : value(v) {}
  atomic<int> value;
};
struct holder {
  atomic<node*> pointer;
  atomic<int> done;
  int r = 0;
};

TEST(errors, use_after_free_is_found) {
  program<holder> p{"use after free",
                    {{"owner",
                      [](holder& s) {
                        node* const n = new node(1);
                        s.pointer.store(n, release);
                        s.pointer.store(nullptr, release);
                        delete n;
                      }},
                     {"reader",
                      [](holder& s) {
                        if (node* const n = s.pointer.load(acquire)) n->value.load(relaxed);
                      }}},
                    {}};
  for (const machine m : all_machines) {
    options how;
    how.on = m;
    const report r = explore(p, how);
    EXPECT_FALSE(r.error.empty()) << name_of(m);
    EXPECT_TRUE(r.error.find("use after free") != std::string::npos ||
                r.error.find("last access does not happen before") != std::string::npos)
        << r.error;
  }
}

TEST(errors, memory_freed_after_a_handshake_is_fine) {
  program<holder> p{"handshake",
                    {{"owner",
                      [](holder& s) {
                        node* const n = new node(1);
                        s.pointer.store(n, release);
                        if (s.done.load(acquire) == 1) delete n;
                      }},
                     {"reader",
                      [](holder& s) {
                        if (node* const n = s.pointer.load(acquire)) n->value.load(relaxed);
                        s.done.store(1, release);
                      }}},
                    {}};
  for (const machine m : all_machines) expect_correct(p, m);
}

TEST(errors, memory_freed_after_a_relaxed_handshake_is_not) {
  program<holder> p{"relaxed handshake",
                    {{"owner",
                      [](holder& s) {
                        node* const n = new node(1);
                        s.pointer.store(n, release);
                        if (s.done.load(relaxed) == 1) delete n;
                      }},
                     {"reader",
                      [](holder& s) {
                        if (node* const n = s.pointer.load(acquire)) n->value.load(relaxed);
                        s.done.store(1, release);
                      }}},
                    {}};
  expect_error(p, machine::views, "last access does not happen before");
}

TEST(errors, an_object_published_without_release_is_used_before_it_is_made) {
  program<holder> p{"relaxed publication",
                    {{"owner", [](holder& s) { s.pointer.store(new node(1), relaxed); }},
                     {"reader",
                      [](holder& s) {
                        if (node* const n = s.pointer.load(acquire)) n->value.load(relaxed);
                      }}},
                    {}};
  expect_error(p, machine::views, "construction");
}

TEST(errors, freeing_twice_is_found) {
  program<holder> p{"double free",
                    {{"owner",
                      [](holder& s) {
                        s.pointer.store(new node(1), release);
                        delete s.pointer.exchange(nullptr, acq_rel);
                      }},
                     {"other", [](holder& s) { delete s.pointer.load(acquire); }}},
                    {}};
  for (const machine m : all_machines) {
    options how;
    how.on = m;
    EXPECT_FALSE(explore(p, how).error.empty()) << name_of(m);
  }
}

TEST(errors, a_waiting_loop_that_nobody_ends_is_a_deadlock) {
  const auto p = make({[](cells& s) {
                         while (s.x.load(acquire) == 0) detail::spin_pause();
                       },
                       [](cells& s) { s.y.store(1, release); }},
                      {});
  for (const machine m : all_machines) expect_error(p, m, "deadlock");
}

TEST(errors, a_waiting_loop_that_somebody_ends_is_none) {
  const auto p = make({[](cells& s) {
                         while (s.x.load(acquire) < 2) detail::spin_pause();
                         s.r[0] = s.data.get();
                       },
                       [](cells& s) {
                         s.x.store(1, release);
                         s.data.set(5);
                         s.x.store(2, release);
                       }},
                      [](cells& s) { record({s.r[0]}); });
  for (const machine m : all_machines) expect_outcomes(p, m, {{5}});
}

TEST(errors, two_loops_that_wait_for_each_other_end_or_deadlock) {
  const auto good = make({[](cells& s) {
                            s.x.store(1, release);
                            while (s.y.load(acquire) == 0) detail::spin_pause();
                          },
                          [](cells& s) {
                            while (s.x.load(acquire) == 0) detail::spin_pause();
                            s.y.store(1, release);
                          }},
                         {});
  const auto bad = make({[](cells& s) {
                           while (s.y.load(acquire) == 0) detail::spin_pause();
                           s.x.store(1, release);
                         },
                         [](cells& s) {
                           while (s.x.load(acquire) == 0) detail::spin_pause();
                           s.y.store(1, release);
                         }},
                        {});
  for (const machine m : all_machines) {
    expect_correct(good, m);
    expect_error(bad, m, "deadlock");
  }
}

TEST(errors, a_loop_without_end_is_reported) {
  options how;
  how.max_steps = 200;
  const auto p = make({[](cells& s) {
                        for (;;) s.x.fetch_add(1, relaxed);
                      }},
                      {});
  for (const machine m : {machine::sequential, machine::total_store_order})
    expect_error(p, m, "too long", how);
}

TEST(errors, a_failed_requirement_names_itself_and_shows_the_schedule) {
  const auto p = make({[](cells& s) { s.x.store(1, relaxed); },
                       [](cells& s) { require(s.x.load(relaxed) == 0, "x was seen"); }},
                      {});
  const report r = explore(p);
  EXPECT_EQ(r.error, "required: x was seen");
  EXPECT_NE(r.counterexample.find("load relaxed = 1"), std::string::npos) << r.counterexample;
  EXPECT_NE(r.counterexample.find("errors.cpp:"), std::string::npos) << r.counterexample;
  EXPECT_NE(r.counterexample.find("T2"), std::string::npos) << r.counterexample;
}

TEST(errors, an_exception_that_leaves_a_thread_is_an_error) {
  const auto p = make({[](cells&) { throw std::runtime_error("lost"); }}, {});
  EXPECT_NE(explore(p).error.find("lost"), std::string::npos);
}

}  // namespace
}  // namespace nearfork::model::litmus
