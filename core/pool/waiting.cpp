// Joins whose second branch was taken, and roots that are waited for.
#include "pool/wait_until.hpp"
#include "sleep/futex.hpp"

namespace nearfork::detail {
namespace {

/// Marks of a join's word while its owner sleeps: the owner's index takes the runner's place.
std::uintptr_t waited_by(std::size_t owner) noexcept {
  return task_state::running(owner) | task_state::waited;
}

}  // namespace

void scheduler::fork_slow(worker& w, task& t) noexcept {
  switch (w.deque().push_slow()) {
    case task_deque::push_result::pushed:
      break;
    case task_deque::push_result::published:
      notify(w);
      break;
    case task_deque::push_result::no_memory:
      t.word.store(task_state::unpushed, std::memory_order_relaxed);
      break;
  }
}

bool scheduler::join_slow(worker& w, task& t) noexcept {
  // relaxed: a function's address or "unpushed" is this thread's own writing.
  std::uintptr_t word = t.word.load(std::memory_order_relaxed);
  if (word == task_state::unpushed) return true;
  if (word >= task_state::first_function) {
    // Not begun, as far as known: it lies in the deque below tasks left by the first branch, or
    // a thief has just won it, and then so was everything older.
    while (task* newest = w.deque().pop()) {
      if (newest == &t) return true;
      execute(w, *newest);
    }
  }
  context_access::count_elsewhere(w);
  bool marked = false;
  wait_until(
      w, w.deque().position(),
      [&] {
        // acquire: the outcome.
        word = t.word.load(std::memory_order_acquire);
        return task_state::is_finished(word);
      },
      [&] { return task_state::is_running(word) && !marked ? task_state::runner(word) : npos; },
      [&](std::chrono::nanoseconds nap) {
        const std::uint32_t seen = w.wait_word.load(std::memory_order_acquire);
        if (!marked) {
          // Not begun yet, in the few instructions between winning and beginning: look again.
          if (!task_state::is_running(word)) return yield_processor();
          // release: nothing is handed over, but the finisher's failed exchange acquires.
          if (!t.word.compare_exchange_strong(word, waited_by(w.slot()), std::memory_order_release,
                                              std::memory_order_relaxed)) {
            return;
          }
          marked = true;
        }
        if (task_state::is_finished(t.word.load(std::memory_order_acquire))) return;
        futex_wait_for(w.wait_word, seen, nap);
      });
  return false;
}

void scheduler::finish_taken(task& t, std::uintptr_t outcome, std::size_t runner) noexcept {
  std::uintptr_t word = task_state::running(runner);
  // release: the outcome. The frame that holds t may be gone right after either write.
  if (t.word.compare_exchange_strong(word, outcome, std::memory_order_release,
                                     std::memory_order_acquire)) {
    return;
  }
  worker& sleeper = *workers_[task_state::runner(word)];
  t.word.store(outcome, std::memory_order_release);
  sleeper.wait_word.fetch_add(1, std::memory_order_release);
  futex_wake(sleeper.wait_word, 1);
}

void finish_root(root_base& root) noexcept {
  // release: the outcome. The root may be gone after the store; waking touches no memory.
  const bool handed_over = root.handed_over;
  root.finished.store(1, std::memory_order_release);
  if (handed_over) futex_wake(root.finished, 1);
}

void scheduler::run_root(root_base& root) {
  check_process();
  context* const caller = current_context;
  if (caller == nullptr) {
    // From outside: the seat of a sleeping worker, if there is one.
    for (std::size_t i = 0; i < count(); ++i) {
      if (!enabled(i)) continue;
      sleep_control<scheduler>::claim_ticket ticket;
      if (!sleep_.claim(i, ticket)) continue;
      worker& w = *workers_[i];
      w.use_stack(stack_range::of_this_thread());
      current_context = &w;
      execute(w, root);
      current_context = nullptr;
      sleep_.leave(i, ticket, !w.deque().looks_empty());
      return;
    }
  }
  root.handed_over = true;
  inject(caller, &root, npos);
  const auto finished = [&] { return root.finished.load(std::memory_order_acquire) != 0; };
  if (caller == nullptr) {
    while (!finished()) futex_wait(root.finished, 0);
    return;
  }
  // Another pool's worker: it goes on serving its own pool.
  auto& w = static_cast<worker&>(*caller);
  w.owner.wait_until(
      w, w.deque().position(), finished, [] { return npos; },
      [&](std::chrono::nanoseconds nap) { futex_wait_for(root.finished, 0, nap); });
}

}  // namespace nearfork::detail
