/// @file
/// Litmus tests: tiny programs whose possible outcomes are known from the literature, compared as
/// sets with what the explorer finds, in all machines, with and without its reductions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "nearfork_model/program.hpp"

namespace nearfork::model::litmus {

using detail::atomic;
using detail::fence_seq_cst;
using detail::heavy_barrier;
using detail::light_barrier;
using detail::plain;

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

/// Three locations and the registers that threads read into.
struct cells {
  atomic<int> x, y, z;
  plain<int> data;
  int r[6] = {};
};

using code = std::function<void(cells&)>;
using outcomes = std::set<outcome>;

/// All combinations of 0 and 1 in n registers.
inline outcomes everything(unsigned n) {
  outcomes all;
  for (unsigned bits = 0; bits < (1u << n); ++bits) {
    outcome o;
    for (unsigned i = n; i-- > 0;) o.push_back((bits >> i) & 1u);
    all.insert(o);
  }
  return all;
}
inline outcomes operator-(outcomes all, const outcome& without) {
  all.erase(without);
  return all;
}

inline program<cells> make(std::vector<code> threads, code check) {
  program<cells> p;
  p.name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  for (std::size_t i = 0; i < threads.size(); ++i)
    p.threads.emplace_back("T" + std::to_string(i + 1), threads[i]);
  p.check = std::move(check);
  return p;
}

inline const std::vector<machine> all_machines{machine::sequential, machine::total_store_order,
                                               machine::views};

/// Explores with every combination of the reductions: all must find the same outcomes.
inline void expect_outcomes(const program<cells>& p, machine on, const outcomes& expected) {
  for (const bool reduce : {false, true})
    for (const bool remember : {false, true}) {
      options how;
      how.on = on;
      how.reduce = reduce;
      how.remember_states = remember;
      const report r = explore(p, how);
      EXPECT_TRUE(r.correct()) << r.summary() << '\n' << r.counterexample;
      EXPECT_EQ(r.outcomes, expected)
          << name_of(on) << (reduce ? ", reduced" : "") << (remember ? ", remembering" : "");
    }
}

/// The same outcomes under sequential consistency and TSO, others under the weak machine.
inline void expect_outcomes(const program<cells>& p, const outcomes& sequential,
                            const outcomes& tso, const outcomes& views) {
  expect_outcomes(p, machine::sequential, sequential);
  expect_outcomes(p, machine::total_store_order, tso);
  expect_outcomes(p, machine::views, views);
}

/// Expects an error that names `what`, with a schedule, whatever the reductions.
template <class Shared>
void expect_error(const program<Shared>& p, machine on, const std::string& what, options how = {}) {
  how.on = on;
  for (const bool reduce : {false, true})
    for (const bool remember : {false, true}) {
      how.reduce = reduce;
      how.remember_states = remember;
      const report r = explore(p, how);
      EXPECT_NE(r.error.find(what), std::string::npos)
          << name_of(on) << ": expected an error with '" << what << "', got '" << r.error << "'";
      EXPECT_NE(r.counterexample.find("thread"), std::string::npos);
    }
}

template <class Shared>
void expect_correct(const program<Shared>& p, machine on, options how = {}) {
  how.on = on;
  for (const bool reduce : {false, true})
    for (const bool remember : {false, true}) {
      how.reduce = reduce;
      how.remember_states = remember;
      const report r = explore(p, how);
      EXPECT_TRUE(r.correct()) << r.summary() << '\n' << r.counterexample;
    }
}

}  // namespace nearfork::model::litmus
