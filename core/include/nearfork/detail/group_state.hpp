/// \file
/// What a task_group counts. Protocol and argument: core/fork_join/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <nearfork/detail/atomic.hpp>
#include <nearfork/detail/root_task.hpp>
#include <nearfork/detail/spin_lock.hpp>
#include <nearfork/detail/task.hpp>
#include <nearfork/detail/task_memory.hpp>
#include <nearfork/pool.hpp>
#include <stop_token>
#include <utility>

namespace nearfork::detail {

class group_state {
 public:
  group_state(pool& p, std::stop_token stop)
      : pool_(&p),
        owner_(pool_access::own_context(p)),
        own_from_(owner_ != nullptr ? context_access::deque(*owner_).position() : 0),
        unwinding_(std::uncaught_exceptions()),
        stop_(std::move(stop)) {}
  group_state(const group_state&) = delete;
  group_state& operator=(const group_state&) = delete;

  /// Takes over \p task and makes it available.
  void start(injected_task* task);
  void start_on(node_index node, injected_task* task);
  /// \throws std::out_of_range when there is no such node; fork_error
  void check(node_index node) const { pool_access::check_submit(*pool_, node); }
  void wait();
  void finish() noexcept;  // the destructor's part

  void cancel() noexcept { flags_.fetch_or(cancelled_flag, std::memory_order_relaxed); }
  bool is_cancelled() const noexcept {
    return (flags_.load(std::memory_order_relaxed) & cancelled_flag) != 0 || stop_.stop_requested();
  }

  /// Keeps the exception in flight if it is the first.
  void fail() noexcept;
  /// A task is finished; afterwards the group may be gone.
  void task_done(context& c) noexcept {
    if (&c == owner_ && owner_waits_) {
      // The owner is inside wait(), so the group cannot go.
      // release: other threads that wait see the task's effects.
      done_by_owner_.store(done_by_owner_.load(std::memory_order_relaxed) + 1,
                           std::memory_order_release);
      // The owner may be held up by another task before it looks at the counts: outside threads
      // cannot wait for that. The count is written before the mark is read, against their order.
      light_barrier();
      if (slept_on_.load(std::memory_order_relaxed) != 0) [[unlikely]]
        wake_sleepers();
    } else {
      task_done_elsewhere();
    }
  }

  std::size_t outstanding() const noexcept;

 private:
  static constexpr std::uint32_t cancelled_flag = 1;
  static constexpr std::uint32_t failed_flag = 2;
  static constexpr std::uint32_t waited_flag = 1;  // of done_elsewhere_
  static constexpr std::uint32_t one_done = 2;

  bool all_done() const noexcept { return outstanding() == 0; }
  void task_done_elsewhere() noexcept;
  void wake_sleepers() noexcept;
  void wait_for_all() noexcept;
  void count_start(const context* c) noexcept;

  pool* pool_;
  context* owner_;         // the worker that made the group
  std::int64_t own_from_;  // its tasks on that worker's deque have positions from here
  bool owner_waits_ = false;
  int unwinding_;  // exceptions in flight when the group was made: those do not end it
  atomic<std::uint32_t> started_by_owner_;
  atomic<std::uint32_t> done_by_owner_;
  // An outside thread has slept here. Stays; lies apart from what thieves write.
  atomic<std::uint32_t> slept_on_;
  atomic<std::uint32_t> flags_;
  std::stop_token stop_;
  spin_lock error_lock_;  // a late waiter may take the exception while a new task fails
  std::exception_ptr error_;
  alignas(64) atomic<std::uint32_t> started_elsewhere_;
  // Number finished << 1 | somebody sleeps on this word.
  atomic<std::uint32_t> done_elsewhere_;
};

template <class F>
struct group_task : injected_task {
  template <class Arg>
  group_task(group_state& g, Arg&& f)
      : injected_task(&execute), group(&g), callable(std::forward<Arg>(f)) {}

  static void execute(task& base, context& c) {
    auto* const self = static_cast<group_task*>(static_cast<injected_task*>(&base));
    group_state& group = *self->group;
    if (!group.is_cancelled()) {
      try {
        call(self->callable, c);
      } catch (...) {
        group.fail();
      }
    }
    destroy_task(c, self);
    group.task_done(c);
  }

  group_state* group;
  F callable;
};

template <class F, class Arg>
injected_task* make_group_task(group_state& g, Arg&& f) {
  return create_task<group_task<F>>(context_access::current(), g, std::forward<Arg>(f));
}

}  // namespace nearfork::detail
