#include <climits>
#include <exception>
#include <nearfork/task_group.hpp>

#include "pool/scheduler.hpp"
#include "pool/wait_until.hpp"
#include "sleep/futex.hpp"

namespace nearfork::detail {

void group_state::count_start(const context* c) noexcept {
  if (c != nullptr && c == owner_) {
    // The owner alone writes it. relaxed: the push or the injector's lock publishes it to
    // whoever runs the task, and that task's end to whoever waits.
    started_by_owner_.store(started_by_owner_.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
  } else {
    started_elsewhere_.fetch_add(1, std::memory_order_relaxed);
  }
}

void group_state::start(injected_task* task) {
  context* const c = context_access::current();
  count_start(c);
  pool_access::scheduler_of(*pool_).spawn(c, task);
}

void group_state::start_on(node_index node, injected_task* task) {
  context* const c = context_access::current();
  count_start(c);
  pool_access::scheduler_of(*pool_).inject(c, task, node);
}

std::size_t group_state::outstanding() const noexcept {
  // Finished first, then started: a task's start lies before its end, so what is read here as
  // finished is counted as started too, and so is everything it started. acquire: the tasks'
  // effects, and those starts.
  const std::uint32_t elsewhere = done_elsewhere_.load(std::memory_order_acquire) >> 1;
  const std::uint32_t owner = done_by_owner_.load(std::memory_order_acquire);
  const std::uint32_t started = started_by_owner_.load(std::memory_order_relaxed) +
                                started_elsewhere_.load(std::memory_order_relaxed);
  return (started - elsewhere - owner) & 0x7fffffffU;
}

void group_state::task_done_elsewhere() noexcept {
  // release: the task's effects. The last touch: once all are counted a waiter may destroy the
  // group. Waking uses the address alone.
  const atomic<std::uint32_t>& word = done_elsewhere_;
  const std::uint32_t before = done_elsewhere_.fetch_add(one_done, std::memory_order_acq_rel);
  if ((before & waited_flag) != 0) futex_wake(word, INT_MAX);
}

void group_state::wake_sleepers() noexcept {
  if ((done_elsewhere_.load(std::memory_order_relaxed) & waited_flag) != 0) {
    futex_wake(done_elsewhere_, INT_MAX);
  }
}

void group_state::fail() noexcept {
  error_lock_.lock();
  // The first keeps its exception.
  if ((flags_.load(std::memory_order_relaxed) & failed_flag) == 0) {
    error_ = std::current_exception();
    flags_.fetch_or(failed_flag | cancelled_flag, std::memory_order_relaxed);
  }
  error_lock_.unlock();
}

void group_state::wait_for_all() noexcept {
  if (all_done()) return;
  context* const c = context_access::current();
  const auto sleep_until_changed = [this](auto&& sleep) {
    const std::uint32_t word =
        done_elsewhere_.fetch_or(waited_flag, std::memory_order_relaxed) | waited_flag;
    // The flag is written before the counts are read, against the owner's light barrier.
    heavy_barrier();
    if (!all_done()) sleep(word);
  };
  if (c == nullptr) {
    slept_on_.store(1, std::memory_order_relaxed);
    while (!all_done()) {
      sleep_until_changed([this](std::uint32_t word) {
        // Without the system call behind the heavy barrier the owner's light one promises nothing:
        // its counting may go unnoticed.
        if (heavy_barrier_available()) {
          futex_wait(done_elsewhere_, word);
        } else {
          futex_wait_for(done_elsewhere_, word, std::chrono::milliseconds(2));
        }
      });
    }
    return;
  }
  auto& w = static_cast<worker&>(*c);
  const bool as_owner = c == owner_ && !owner_waits_;
  if (as_owner) owner_waits_ = true;
  w.owner.wait_until(
      w, as_owner ? own_from_ : context_access::deque(*c).position(), [this] { return all_done(); },
      [] { return npos; },
      [&](std::chrono::nanoseconds nap) {
        sleep_until_changed(
            [&](std::uint32_t word) { futex_wait_for(done_elsewhere_, word, nap); });
      });
  if (as_owner) {
    owner_waits_ = false;
    // What this thread counted by plain stores was no wake-up for other waiters.
    light_barrier();
    wake_sleepers();
  }
}

void group_state::wait() {
  if (!all_done()) pool_access::scheduler_of(*pool_).check_process();
  wait_for_all();
  // Tasks shall end without a system call again. Another waiter may be asleep already, for tasks
  // added meanwhile: it is woken and marks the word again.
  if ((done_elsewhere_.load(std::memory_order_relaxed) & waited_flag) != 0) {
    done_elsewhere_.fetch_and(~waited_flag, std::memory_order_relaxed);
    futex_wake(done_elsewhere_, INT_MAX);
  }
  if (flags_.load(std::memory_order_relaxed) == 0) return;
  // As new again. One of several waiters gets the exception.
  error_lock_.lock();
  flags_.store(0, std::memory_order_relaxed);
  std::exception_ptr error = std::exchange(error_, nullptr);
  error_lock_.unlock();
  if (error) std::rethrow_exception(std::move(error));
}

void group_state::finish() noexcept {
  // In a forked child the tasks that are left belong to the parent.
  if (all_done() || pool_access::scheduler_of(*pool_).foreign_process()) return;
  // More than at the group's making: tasks of others that an unwinding thread runs while it waits,
  // and groups of destructors, are not being unwound themselves.
  if (std::uncaught_exceptions() > unwinding_) cancel();
  wait_for_all();
}

}  // namespace nearfork::detail
