/// \file
/// A group of tasks that are waited for together.
#pragma once

#include <cstddef>
#include <exception>
#include <nearfork/detail/group_state.hpp>
#include <nearfork/indices.hpp>
#include <nearfork/pool.hpp>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace nearfork {

/// Tasks that are started one by one and waited for together.
///
/// run() and wait() may be called by any thread at any time, several at once, and by the tasks
/// themselves. The first exception cancels the tasks that have not begun and is rethrown by one
/// wait(); after that the group is as new.
class task_group {
 public:
  /// On the current worker's pool, or the default pool.
  task_group() : task_group(std::stop_token{}) {}
  /// Tasks that have not begun when \p stop is requested are skipped.
  explicit task_group(std::stop_token stop)
      : task_group(pool::current() != nullptr ? *pool::current() : default_pool(),
                   std::move(stop)) {}
  explicit task_group(pool& p, std::stop_token stop = {}) : state_(p, std::move(stop)) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits; during unwinding it cancels first. An exception nobody waited for is dropped.
  ~task_group() { state_.finish(); }

  /// Starts \p f, which may take a nearfork::context&. It is moved or copied into the task;
  /// move-only and over-aligned callables are fine. When very many tasks are waiting already, f
  /// may be run at once. \throws std::bad_alloc; fork_error
  template <class F>
  void run(F&& f) {
    state_.check(npos);
    state_.start(detail::make_group_task<std::decay_t<F>>(state_, std::forward<F>(f)));
  }
  /// Like run(), but prefers the workers of a node.
  /// \throws std::out_of_range when there is no such node
  template <class F>
  void run_on(node_index node, F&& f) {
    state_.check(node);
    state_.start_on(node, detail::make_group_task<std::decay_t<F>>(state_, std::forward<F>(f)));
  }
  /// Waits until every task is finished, those added meanwhile too. A worker runs tasks
  /// meanwhile, other threads sleep. \throws the group's first exception, once; fork_error in a
  /// forked child that would wait for its parent's tasks
  void wait() { state_.wait(); }
  /// Skips the tasks that have not begun; running ones may ask is_cancelled().
  void cancel() noexcept { state_.cancel(); }
  /// Whether cancel() was called, a task has thrown, or the stop token was triggered.
  bool is_cancelled() const noexcept { return state_.is_cancelled(); }

 private:
  detail::group_state state_;
};

}  // namespace nearfork
