#include <algorithm>
#include <functional>
#include <nearfork/statistics.hpp>

#include "pool/scheduler.hpp"

namespace nearfork {

std::string_view to_string(ring r) noexcept {
  constexpr std::array<std::string_view, ring_count> names{"smt", "cache", "node", "remote"};
  return names[static_cast<std::size_t>(r)];
}

namespace detail {
namespace {

std::chrono::nanoseconds ns(std::uint64_t n) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(n));
}

/// to = op(to, w), field by field; the latest time to quiet is kept as it is.
template <class Op>
void combine(worker_statistics& to, const worker_statistics& w, Op op) {
  const auto each = [&](auto member) { to.*member = op(to.*member, w.*member); };
  using s = worker_statistics;
  for (auto member :
       {&s::tasks_run, &s::tasks_spawned, &s::attempts_empty, &s::lost_races, &s::injected,
        &s::parks, &s::wakeups, &s::publications, &s::revocations, &s::deque_growths,
        &s::deque_shrinks, &s::morsels_local, &s::morsels_remote}) {
    each(member);
  }
  for (auto member : {&s::time_searching, &s::time_parked, &s::time_busy}) each(member);
  for (std::size_t r = 0; r < ring_count; ++r) {
    to.steals[r] = op(to.steals[r], w.steals[r]);
    to.steal_attempts[r] = op(to.steal_attempts[r], w.steal_attempts[r]);
  }
}

void add(worker_statistics& to, const worker_statistics& w) {
  combine(to, w, std::plus<>());
  to.time_to_quiet = std::max(to.time_to_quiet, w.time_to_quiet);
}

void subtract(worker_statistics& from, const worker_statistics& w) {
  // A time may seem to run back by an instant between two snapshots.
  combine(from, w, [](auto a, auto b) { return a > b ? a - b : decltype(a){}; });
}

}  // namespace

statistics scheduler::count_from_start() const {
  statistics s;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - started_);
  for (std::size_t i = 0; i < count(); ++i) {
    worker& from = *workers_[i];
    const worker_counters& c = from.counters;
    worker_statistics w;
    const std::uint64_t forks = context_access::forks(from);
    w.tasks_run = forks - context_access::elsewhere(from) + c.taken.get();
    w.tasks_spawned = forks + c.spawned.get();
    for (std::size_t r = 0; r < ring_count; ++r) {
      w.steals[r] = c.steals[r].get();
      w.steal_attempts[r] = c.attempts[r].get();
    }
    w.attempts_empty = c.empty.get();
    w.lost_races = c.lost.get();
    w.injected = c.injected.get();
    w.parks = c.parks.get();
    w.wakeups = c.wakeups.get();
    w.publications = from.deque().publications();
    w.revocations = c.revocations.get();
    w.time_searching = ns(c.searching_ns.get() + c.waiting_ns.get());
    w.time_parked = ns(c.parked_ns.get());
    w.time_to_quiet = ns(c.quiet_ns.get());
    w.time_busy = std::max(elapsed - w.time_searching - w.time_parked, ns(0));
    w.deque_growths = from.deque().growths();
    w.deque_shrinks = from.deque().shrinks();
    w.morsels_local = c.morsels_local.get();
    w.morsels_remote = c.morsels_remote.get();
    s.workers.push_back(w);
  }
  return s;
}

statistics scheduler::stats() const {
  // Counters are the workers' own: starting anew means remembering where they stood.
  const std::lock_guard lock(statistics_mutex_);
  const std::lock_guard layout(layout_mutex_);  // stand-ins keep their places meanwhile
  statistics s = count_from_start();
  std::vector<worker_statistics> by_index;
  for (std::size_t i = 0; i < s.workers.size(); ++i) {
    if (i < baseline_.workers.size()) subtract(s.workers[i], baseline_.workers[i]);
    add(s.total, s.workers[i]);
    // A stand-in's work counts for the worker it stands in for.
    const std::size_t index = workers_[i]->index();
    if (by_index.size() <= index) by_index.resize(index + 1);
    add(by_index[index], s.workers[i]);
  }
  s.workers = std::move(by_index);
  s.bytes_retired = limbo_.bytes();
  return s;
}

void scheduler::reset_stats() {
  const std::lock_guard lock(statistics_mutex_);
  baseline_ = count_from_start();
}

}  // namespace detail
}  // namespace nearfork
