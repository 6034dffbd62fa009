#include "pool/scheduler.hpp"

#include <sched.h>

#include <algorithm>
#include <nearfork/detail/node_map.hpp>
#include <span>
#include <string>
#include <utility>

#include "observe/report.hpp"
#include "pool/fork.hpp"
#include "pool/registry.hpp"
#include "pool/wait_until.hpp"
#include "pool/warn.hpp"
#include "sleep/futex.hpp"

namespace nearfork::detail {

scheduler::scheduler(pool& owner, pool_options options)
    : owner_(owner),
      options_(std::move(options)),
      asymmetric_(heavy_barrier_available()),
      process_(process_generation()),
      report_target_(report_target()) {
  forget_pools_in_children();
  plans_.push_back(make_plan());
  placement& plan = plans_.back();
  plan_.store(&plan, std::memory_order_release);
  display_affinity(plan);
  for (const std::string& w : plan.warnings) warn(w);
  for (std::size_t i = 0; i < std::max<std::size_t>(plan.worker_nodes, 1); ++i) {
    injectors_.emplace_back();
  }
  for (node_index n = 0; n < plan.nodes.size(); ++n) node_os_ids_.push_back(os_id_of(plan, n));
  set_node_resolver([]() noexcept -> std::span<const std::size_t> {
    const context* const c = current_context;
    if (c == nullptr) return {};
    return static_cast<const worker*>(c)->owner.node_os_ids();
  });
  start_threads();
  try {
    first_worker_.assign(injectors_.size(), 0);
    for (std::size_t i = count(); i-- > 0;) {
      if (workers_[i]->node() < first_worker_.size()) first_worker_[workers_[i]->node()] = i;
    }
    if (options_.bind_caller && !plan.foreign && !plan.workers[0].binding.empty()) {
      caller_.bind(plan.workers[0].binding);
    }
    register_pool(plan);
  } catch (...) {
    caller_.restore();
    stop_threads();
    throw;
  }
}

scheduler::~scheduler() {
  for (;;) {
    const std::uint32_t left = submissions_.load(std::memory_order_acquire);
    if (left == 0) break;
    futex_wait(submissions_, left);
  }
  unregister_pool(plan());
  write_report(report_target_, plan(), stats());
  caller_.restore();
  stop_threads();
}

void scheduler::stop_threads() noexcept {
  stopping_.store(1, std::memory_order_release);
  fence_seq_cst();
  for (std::size_t i = 0; i < count(); ++i) {
    if (!sleep_.wake(i)) sleep_.resume(i);
  }
  for (pthread_t t : threads_) pthread_join(t, nullptr);
  limbo_.clear();
  for (std::size_t i = 0; i < count(); ++i) {
    workers_[i]->~worker();
    free_pages(pages_[i]);
  }
}

plan_options scheduler::asked(std::size_t workers) const noexcept {
  return {workers, options_.bind, options_.place, options_.smt, options_.kinds, options_.steal};
}

placement scheduler::make_plan() {
  machine_.emplace(machine::from_environment());
  placement plan = make_placement(*machine_, asked(options_.workers));
  const std::size_t here = plan.foreign ? make_placement(machine::native(), {}).allowed_pus.size()
                                        : plan.allowed_pus.size();
  if (plan.foreign && options_.workers == 0) {
    // A foreign shape, but no more threads than this machine has cores for us.
    plan_options native;
    native.smt = options_.smt;
    const std::size_t cores = make_placement(machine::native(), native).workers.size();
    if (cores < plan.workers.size()) plan = make_placement(*machine_, asked(cores));
  }
  allowed_pus_here_ = here;
  return plan;
}

// --- the crew of the sleep protocol

void scheduler::request_all(std::size_t self) noexcept {
  for (std::size_t i = 0; i < count(); ++i) {
    if (i != self) workers_[i]->thief.request();
  }
}

bool scheduler::work_in_sight(std::size_t self) noexcept {
  if (stopping_.load(std::memory_order_acquire) != 0 || injectors_filled()) return true;
  for (std::size_t i = 0; i < count(); ++i) {
    if (i == self) continue;
    worker& v = *workers_[i];
    if (!v.thief.looks_empty() || v.thief.revoke() != revoke_result::nothing) return true;
  }
  return false;
}

bool scheduler::injectors_filled() noexcept {
  for (const injector& q : injectors_) {
    if (q.size() != 0) return true;
  }
  return false;
}

// --- finding work

task* scheduler::pop_own(worker& w, std::int64_t from) noexcept {
  if (w.deque().position() <= std::max(from, w.isolation_floor)) return nullptr;
  return w.deque().pop();
}

bool scheduler::refuses_work(worker& w) noexcept {
  return injectors_filled() || !w.deque().looks_empty();
}

task* scheduler::take_injected(worker& w) noexcept {
  const std::size_t n = injectors_.size();
  for (std::size_t k = 0; k < n; ++k) {
    injector& q = injectors_[(w.node() + k) % n];
    if (injected_task* t = q.pop()) {
      w.counters.injected.add();
      // More is there: somebody else may want it.
      if (q.size() != 0) notify(w);
      return t;
    }
  }
  return nullptr;
}

task* scheduler::next_task(worker& w) noexcept {
  // Now and then outsiders first, lest a worker that feeds itself starve them.
  if (w.tick % 61 == 0) {
    // Every node's: some may have no workers.
    if (task* t = take_injected(w)) return t;
  }
  if (task* t = pop_own(w, INT64_MIN)) return t;
  return take_injected(w);
}

task* scheduler::steal_from(worker& w, worker& victim, bool restricted) noexcept {
  const auto r = static_cast<std::size_t>(w.ring_of(victim));
  w.counters.attempts[r].add();
  if (victim.thief.looks_empty()) {
    w.counters.empty.add();
    victim.thief.request();
    return nullptr;
  }
  // A join's task lies on its forking frame: its address tells how deep it is, without reading
  // what is not won yet. Other tasks tell nothing.
  const std::uintptr_t used = restricted ? w.stack_used() : 0;
  const std::uintptr_t low = victim.stack_low.load(std::memory_order_relaxed);
  const std::uintptr_t high = victim.stack_high.load(std::memory_order_relaxed);
  const auto wanted = [=](const task* t) noexcept {
    if (!restricted) return true;
    const auto at = reinterpret_cast<std::uintptr_t>(t);
    return at >= low && at < high && high - at >= used;
  };
  task* t = nullptr;
  switch (victim.thief.steal(t, w.record, wanted)) {
    case steal_result::task:
      w.counters.steals[r].add();
      return t;
    case steal_result::retry:
      w.counters.lost.add();
      return nullptr;
    case steal_result::empty:
    case steal_result::rejected:
      w.counters.empty.add();
      return nullptr;
  }
  return nullptr;
}

task* scheduler::steal_round(worker& w, bool restricted, std::uint32_t round) noexcept {
  if (options_.steal == steal_policy::random) {
    if (w.nearest.empty()) return nullptr;
    return steal_from(w, *w.nearest[w.next_random() % w.nearest.size()], restricted);
  }
  // One random victim a ring, nearest ring first, so that a thief does not walk past a hundred
  // empty neighbours; every ninth round everybody. A distant victim must have several tasks to
  // spare at first: its last ones are better left to its neighbours (bench/sim, "nearest").
  constexpr std::uint32_t everybody = 9;
  const bool full = round % everybody == everybody - 1;
  const std::int64_t spare = round < 3 ? 4 >> round : 1;
  for (const victim_group& g : w.victims) {
    const std::size_t n = g.victims.size();
    const std::size_t start = w.next_random() % n;
    for (std::size_t k = 0; k < (full ? n : 1); ++k) {
      const std::size_t i = start + k < n ? start + k : start + k - n;
      worker& v = *g.victims[i];
      if (g.kind == ring::remote && !full && v.thief.public_size() < spare) {
        w.counters.attempts[static_cast<std::size_t>(g.kind)].add();
        w.counters.empty.add();
        v.thief.request();
        continue;
      }
      if (task* t = steal_from(w, v, restricted)) return t;
    }
  }
  return nullptr;
}

bool scheduler::revoke_round(worker& w) noexcept {
  for (worker* v : w.nearest) {
    if (v->thief.revoke() == revoke_result::published) {
      w.counters.revocations.add();
      return true;
    }
  }
  return false;
}

task* scheduler::search(worker& w) noexcept {
  renew_layout(w);
  const clock::time_point start = clock::now();
  bool revoked = false;
  for (std::uint32_t round = 0;; ++round) {
    if (task* t = steal_round(w, false, round)) return t;
    if (task* t = take_injected(w)) return t;
    if (stopping_.load(std::memory_order_relaxed) != 0) return nullptr;
    const auto spent = clock::now() - start;
    if (spent > options_.spin) return nullptr;
    // Threads that share a core: a searcher that has to give it away would still count as one and
    // keep others from being woken.
    if (round > 8 && oversubscribed_.load(std::memory_order_relaxed)) return nullptr;
    if (!revoked && spent > options_.spin / 4) {
      // Asked and not answered: the owner may be in a long task.
      revoked = true;
      if (revoke_round(w)) continue;
    }
    for (int i = 0; i < 8; ++i) spin_pause();
  }
}

void scheduler::work(worker& w) noexcept {
  bool searching = false;
  for (;;) {
    if (w.enabled.load(std::memory_order_acquire) == 0 &&
        stopping_.load(std::memory_order_acquire) == 0) {
      if (searching && sleep_.found_work(w.slot())) w.counters.wakeups.add();
      w.deque().publish_all();
      sleep_.bench(w.slot());
      searching = true;
      rebind(w);
      continue;
    }
    while (task* t = next_task(w)) {
      if (searching) {
        searching = false;
        if (sleep_.found_work(w.slot())) w.counters.wakeups.add();
      }
      execute(w, *t);
      if (w.enabled.load(std::memory_order_relaxed) == 0) break;
    }
    if (w.enabled.load(std::memory_order_relaxed) == 0 &&
        stopping_.load(std::memory_order_acquire) == 0) {
      continue;
    }
    const clock::time_point idle = clock::now();
    if (stopping_.load(std::memory_order_acquire) != 0) break;
    if (!searching) searching = sleep_.start_searching();
    task* found = searching ? search(w) : nullptr;
    clock::time_point now = clock::now();
    w.counters.searching_ns.add(static_cast<std::uint64_t>((now - idle).count()));
    if (found != nullptr) {
      searching = false;
      if (sleep_.found_work(w.slot())) w.counters.wakeups.add();
      execute(w, *found);
      continue;
    }
    if (stopping_.load(std::memory_order_acquire) != 0) break;
    w.counters.quiet_ns.reset();
    w.counters.quiet_ns.add(static_cast<std::uint64_t>((now - idle).count()));
    w.counters.parks.add();
    w.deque().shrink();
    context_access::cache(w).trim();
    limbo_.reclaim();
    sleep_.park(w.slot(), searching);
    searching = true;
    w.use_stack(stack_range::of_this_thread());
    w.counters.parked_ns.add(static_cast<std::uint64_t>((clock::now() - now).count()));
  }
}

// --- tasks from tasks and from outside

void scheduler::spawn(context* c, injected_task* task) noexcept {
  auto* const w = static_cast<worker*>(c);
  if (w == nullptr || &w->owner != this) {
    inject(c, task, npos);
    return;
  }
  // A loop that only spawns must not fill the memory, nor a chain of tasks that spawn the stack.
  constexpr std::int64_t many = 1 << 16;
  w->counters.spawned.add();
  if (w->deque().size() >= many && w->stack_used() <= w->stack_size() / 4) {
    execute(*w, *task);
    return;
  }
  if (w->deque().push_fast(task)) [[likely]]
    return;
  switch (w->deque().push_slow()) {
    case task_deque::push_result::published:
      notify(*w);
      break;
    case task_deque::push_result::pushed:
      break;
    case task_deque::push_result::no_memory:
      execute(*w, *task);
      return;
  }
}

void scheduler::inject(context* c, injected_task* task, node_index node) noexcept {
  auto* const w = static_cast<worker*>(c);
  const bool own = w != nullptr && &w->owner == this;
  std::size_t n = node;
  if (n >= injectors_.size()) {
    n = own ? w->node() % injectors_.size() : node_of_caller();
  }
  injectors_[n].push(task);
  if (own) {
    w->counters.spawned.add();
    notify(*w);
  } else {
    sleep_.work_published(outside | first_worker_[n]);
  }
}

std::size_t scheduler::node_of_caller() const noexcept {
  const placement& where = plan();
  if (injectors_.size() == 1 || where.foreign) return 0;
  const int cpu = sched_getcpu();
  for (std::size_t n = 0; cpu >= 0 && n < injectors_.size(); ++n) {
    const auto& pus = where.nodes[n].pus;
    if (std::binary_search(pus.begin(), pus.end(), static_cast<std::size_t>(cpu))) return n;
  }
  return 0;
}

void scheduler::submit(injected_task* task, node_index node) noexcept {
  context* const c = current_context;
  if (node == npos) {
    spawn(c, task);
  } else {
    inject(c, task, node);
  }
}

void scheduler::submission_done() noexcept {
  if (submissions_.fetch_sub(1, std::memory_order_release) == 1) {
    futex_wake(submissions_, 1);
  }
}

}  // namespace nearfork::detail
