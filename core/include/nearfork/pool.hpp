/// \file
/// A pool of pinned workers.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <nearfork/context.hpp>
#include <nearfork/detail/root_task.hpp>
#include <nearfork/error.hpp>
#include <nearfork/exceptions.hpp>
#include <nearfork/indices.hpp>
#include <nearfork/placement.hpp>
#include <nearfork/policies.hpp>
#include <nearfork/statistics.hpp>
#include <type_traits>
#include <utility>

namespace nearfork {

/// How a pool is made. A field set in code is used as it is; from_environment() starts from the
/// NEARFORK_* variables.
struct pool_options {
  /// 0: one per allowed core, capped by the CPU quota; a number overrides the quota (warned).
  std::size_t workers = 0;
  bind_policy bind = bind_policy::core;
  place_policy place = place_policy::spread;
  smt_policy smt = smt_policy::one_per_core;
  core_kinds kinds = core_kinds::all;
  steal_policy steal = steal_policy::nearest;
  /// How long an idle worker searches before it parks.
  std::chrono::nanoseconds spin = std::chrono::microseconds(40);
  /// Initial slots of a worker's deque, a power of two.
  std::size_t deque_capacity = 1024;
  /// Size of the workers' stacks in bytes, 0: the system's default.
  std::size_t stack_bytes = 0;
  /// Bind the constructing thread to worker 0's place while the pool lives.
  bool bind_caller = false;
  /// Gets the exceptions of submit()'s callables, from any worker; empty: std::terminate.
  std::function<void(std::exception_ptr)> on_exception;

  /// The defaults, overridden by NEARFORK_WORKERS, _BIND, _PLACE, _SMT, _KINDS, _STEAL, _SPIN_US,
  /// _DEQUE_CAPACITY and _STACK_BYTES.
  /// \throws config_error naming the variable, the value and what is accepted
  static pool_options from_environment();
};

/// Worker threads on the machine's cores, and the tasks they share.
///
/// All members may be called from any thread at any time, but for the destructor.
class pool {
 public:
  /// Plans and starts the workers. Where the system refuses a thread the pool is smaller (one
  /// warning).
  /// \throws config_error for options that cannot be met; std::system_error when not even one
  /// thread can be had; std::bad_alloc
  explicit pool(pool_options options = pool_options::from_environment());
  /// Waits for everything submitted, then ends the workers. Nobody may be inside run().
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Runs \p f inside the pool and waits for it. \p f may take a nearfork::context&.
  ///
  /// A worker of this pool calls f at once. A thread from outside takes the seat of a sleeping
  /// worker when there is one; otherwise f goes to an injector and the thread sleeps, or, if it is
  /// another pool's worker, serves that pool meanwhile.
  /// \returns what f returns. \throws what f throws; fork_error in a forked child
  template <class F>
  auto run(F&& f) -> detail::call_result<F> {
    if (context* const own = own_context()) return detail::call(f, *own);
    detail::root_task<std::remove_reference_t<F>> root(f);
    run_root(root);
    return root.take();
  }

  /// Runs \p f some time, by some worker; does not wait. Exceptions go to
  /// pool_options::on_exception. \throws std::bad_alloc; fork_error
  template <class F>
  void submit(F&& f) {
    submit_to(npos, std::forward<F>(f));
  }
  /// Like submit(), but prefers the workers of a node; others may still take it.
  /// \throws std::out_of_range when there is no such node
  template <class F>
  void submit_to(node_index node, F&& f) {
    using callable = std::decay_t<F>;
    check_submit(node);
    submit_task(detail::make_submitted<callable>(*this, std::forward<F>(f)), node);
  }

  /// Number of workers (and threads) that take part.
  std::size_t worker_count() const noexcept;
  /// Changes the number of workers that take part; takes effect at task and morsel boundaries.
  /// Tasks that a leaving worker had not begun go to the others. Newcomers get new threads where
  /// there are none left from before; if the system refuses them the pool stays smaller (warned).
  /// May be called by any thread, tasks included.
  /// \throws config_error for 0 or more than worker_limit(); fork_error
  void resize(std::size_t workers);
  /// The most workers that resize() accepts: at least 256, and all allowed PUs.
  std::size_t worker_limit() const noexcept;
  /// Number of memory nodes that have workers' cores. Nodes without CPUs do not count.
  std::size_t node_count() const noexcept;
  /// Who sits where and why.
  const placement& plan() const noexcept;
  const pool_options& options() const noexcept;

  /// Counters so far. O(workers).
  statistics stats() const;
  /// Starts counting anew.
  void reset_stats();

  /// The pool whose task the calling thread runs; null outside of any.
  static pool* current() noexcept;

 private:
  friend struct detail::pool_access;
  /// The calling thread's context if it is a worker of this pool. \throws fork_error
  context* own_context() const;
  void run_root(detail::root_base& root);
  void check_submit(node_index node) const;
  void submit_task(detail::injected_task* task, node_index node) noexcept;

  std::unique_ptr<detail::scheduler, void (*)(detail::scheduler*)> scheduler_;
};

/// The pool that free functions use outside of any other: made at first use from the environment.
/// In a forked child it is made anew.
pool& default_pool();

/// Index of the worker that runs the calling task in its pool; npos outside.
worker_index current_worker() noexcept;
/// Memory node of that worker; npos outside.
node_index current_node() noexcept;

namespace detail {

struct pool_access {
  static scheduler& scheduler_of(pool& p) noexcept { return *p.scheduler_; }
  static context* own_context(const pool& p) { return p.own_context(); }
  static void submit_task(pool& p, injected_task* task, node_index node) noexcept {
    p.submit_task(task, node);
  }
  static void check_submit(const pool& p, node_index node) { p.check_submit(node); }
};

template <class F>
auto run_in_default_pool(F&& f) {
  return default_pool().run(std::forward<F>(f));
}

}  // namespace detail
}  // namespace nearfork
