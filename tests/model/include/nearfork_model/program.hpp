/// @file
/// How a program for the explorer is written and run: see README.md.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nearfork_model/atomic.hpp"

namespace nearfork::model {

/// Which machine runs the program.
enum class machine : std::uint8_t {
  sequential,         ///< sequential consistency
  total_store_order,  ///< x86: a first-in-first-out store buffer a thread
  views,              ///< release/acquire, relaxed and SC fences of C++20
};
const char* name_of(machine m) noexcept;

struct options {
  machine on = machine::views;
  /// Explore each state once. Without: every schedule from the start to its end.
  bool remember_states = true;
  /// Leave out schedules that only swap independent steps.
  bool reduce = true;
  /// Count all complete schedules (needs reduce = false).
  bool count_schedules = false;
  /// May a schedule end with threads asleep? The final check then sees ended() == false.
  bool may_end_asleep = false;
  /// How often a weak compare-exchange may fail and a futex wait return without a reason, each
  /// execution.
  unsigned spurious = 0;
  /// A longer execution is an error: the program does not end.
  unsigned max_steps = 3000;
  /// Give up beyond: the report is then incomplete.
  std::uint64_t max_states = 40'000'000;
};

/// One set of recorded values, see record().
using outcome = std::vector<std::int64_t>;

struct report {
  std::string program;
  machine on = machine::views;
  std::uint64_t states = 0;       ///< different states met with more than one way to go on
  std::uint64_t transitions = 0;  ///< steps executed
  std::uint64_t executions = 0;   ///< followed to their end (others led into known states)
  std::uint64_t cuts = 0;         ///< left by cut()
  std::uint64_t schedules = 0;    ///< all complete interleavings, when counted
  std::uint64_t failing = 0;      ///< schedules that failed, when counted
  bool complete = false;          ///< everything was explored, or a counterexample found
  std::string error;              ///< empty: no execution went wrong
  std::string counterexample;     ///< its schedule
  std::set<outcome> outcomes;
  double seconds = 0;

  bool correct() const noexcept { return complete && error.empty(); }
  std::string summary() const;  ///< one line
};

/// A program with its types left out.
struct erased_program {
  std::string name;
  std::function<void()> begin;  ///< makes the shared state
  std::vector<std::pair<std::string, std::function<void()>>> threads;
  std::function<void()> end;  ///< checks and destroys it
};
report explore(const erased_program& program, const options& how);

/// A program: a state that all threads share (default-constructed by the main thread, destroyed
/// by it at the end), at most seven threads, and a check after all have ended.
template <class Shared>
struct program {
  std::string name;
  std::vector<std::pair<std::string, std::function<void(Shared&)>>> threads;
  std::function<void(Shared&)> check;
};

template <class Shared>
report explore(const program<Shared>& p, const options& how = {}) {
  Shared* shared = nullptr;
  erased_program erased;
  erased.name = p.name;
  erased.begin = [&] { shared = new Shared(); };
  for (const auto& [name, body] : p.threads)
    erased.threads.emplace_back(name, [&shared, &body] { body(*shared); });
  erased.end = [&] {
    if (p.check) p.check(*shared);
    delete shared;
  };
  return explore(erased, how);
}

// Inside programs ------------------------------------------------------------------------------

/// Ends the execution as an error unless `holds`.
void require(bool holds, const char* otherwise, where site = where::current());
/// Notes the values as one possible outcome (call it in the final check).
void record(std::initializer_list<std::int64_t> values);
/// A scheduling point without an access.
void step(const char* what = "", where site = where::current());
/// Leaves this execution: what follows is covered by others. For loops that retry as long as
/// another thread stands still: a fair scheduler ends them, the explorer would follow them for
/// ever. Counted in the report.
void cut(where site = where::current());
/// Acquire, release and acquire-release fences, for the explorer's own tests.
void fence_of(std::memory_order order, where site = where::current());
/// In the final check: false if threads are still asleep (options::may_end_asleep).
bool ended() noexcept;
/// The number of the calling thread: 0 the main thread, others from 1.
unsigned this_thread() noexcept;

}  // namespace nearfork::model
