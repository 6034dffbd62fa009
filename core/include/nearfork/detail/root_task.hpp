/// \file
/// Tasks that come from outside: pool::run (waited for) and pool::submit (not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <nearfork/detail/atomic.hpp>
#include <nearfork/detail/task.hpp>
#include <nearfork/detail/task_memory.hpp>
#include <nearfork/join.hpp>
#include <new>
#include <type_traits>
#include <utility>

namespace nearfork {

class pool;

namespace detail {

struct pool_access;

/// A callable of pool::run: lies on the stack of the thread that waits for it.
struct root_base : injected_task {
  using injected_task::injected_task;
  /// 0, then 1 when it is finished: the waiting thread sleeps on it.
  atomic<std::uint32_t> finished;
  bool handed_over = false;  ///< another thread runs it: somebody may be asleep
  std::exception_ptr error;
};

/// Marks a root finished and wakes its waiter; afterwards the root may be gone.
void finish_root(root_base& root) noexcept;

template <class F>
struct root_task : root_base {
  using result = call_result<F>;
  using stored = stored_result<result>;

  explicit root_task(F& f) noexcept : root_base(&execute), callable(std::addressof(f)) {}
  ~root_task() {
    if (has_value) std::destroy_at(std::addressof(outcome));
  }
  root_task(const root_task&) = delete;
  root_task& operator=(const root_task&) = delete;

  static void execute(task& base, context& c) {
    auto& self =
        static_cast<root_task&>(static_cast<root_base&>(static_cast<injected_task&>(base)));
    try {
      call_into(std::addressof(self.outcome), *self.callable, c);
      self.has_value = true;
    } catch (...) {
      self.error = std::current_exception();
    }
    finish_root(self);
  }

  result take() {
    if (error) std::rethrow_exception(std::move(error));
    if constexpr (std::is_void_v<result>) {
      return;
    } else if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(*outcome);
    } else {
      return std::move(outcome);
    }
  }

  F* callable;
  bool has_value = false;
  union {
    stored outcome;
  };
};

/// Told by a submitted task that it is finished (and perhaps failed); the task is gone by then.
void finish_submitted(pool& owner, std::exception_ptr error) noexcept;

template <class F>
struct submitted_task : injected_task {
  template <class Arg>
  submitted_task(pool& p, Arg&& f)
      : injected_task(&execute), owner(&p), callable(std::forward<Arg>(f)) {}

  static void execute(task& base, context& c) {
    auto* const self = static_cast<submitted_task*>(static_cast<injected_task*>(&base));
    pool& owner = *self->owner;
    std::exception_ptr error;
    try {
      call(self->callable, c);
    } catch (...) {
      error = std::current_exception();
    }
    destroy_task(c, self);
    finish_submitted(owner, std::move(error));
  }

  pool* owner;
  F callable;
};

template <class F, class Arg>
injected_task* make_submitted(pool& p, Arg&& f) {
  return create_task<submitted_task<F>>(context_access::current(), p, std::forward<Arg>(f));
}

}  // namespace detail
}  // namespace nearfork
