/// \file
/// The worker that runs the present task, as a task sees it.
#pragma once

#include <cstddef>
#include <nearfork/detail/buffer_memory.hpp>
#include <nearfork/detail/counter.hpp>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/task.hpp>
#include <nearfork/indices.hpp>

namespace nearfork {

namespace detail {
struct worker;
class scheduler;
struct context_access;
}  // namespace detail

/// The worker that runs the present task. Callables of join() and pool::run() may take a
/// `context&` as their argument and pass it on to the joins inside: in deep recursion that saves
/// looking the worker up at every call. Valid until the callable returns; not to be used from
/// another thread.
class context {
 public:
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  /// This worker's index in its pool.
  worker_index index() const noexcept { return index_; }
  /// The memory node this worker belongs to.
  node_index node() const noexcept { return node_; }

 private:
  friend struct detail::worker;
  friend struct detail::context_access;

  context(detail::limbo& retired, std::size_t node_os_id, std::int64_t capacity, bool asymmetric,
          worker_index index, node_index node, std::size_t slot)
      : deque_(capacity, asymmetric, retired, node_os_id),
        cache_(node_os_id),
        index_(index),
        node_(node),
        slot_(slot) {}

  detail::task_deque deque_;
  detail::node_cache cache_;   // task memory
  detail::counter forks_;      // pushes of join tasks
  detail::counter elsewhere_;  // of these, how many their owner did not run in place
  worker_index index_;
  node_index node_;
  std::size_t slot_;  // which of the pool's threads: differs from index_ for a stand-in
};

namespace detail {

/// The engine's way into a context. Not for users.
struct context_access {
  /// The context of the worker whose task the calling thread runs; null outside of any pool.
  static context* current() noexcept;

  static task_deque& deque(context& c) noexcept { return c.deque_; }
  static node_cache& cache(context& c) noexcept { return c.cache_; }

  /// Makes \p t available to thieves. Never fails: a task that could not be pushed for lack of
  /// memory is marked and run by the join itself.
  static void fork(context& c, task& t) noexcept {
    c.forks_.add();
    if (!c.deque_.push_fast(&t)) [[unlikely]]
      fork_slow(c, t);
  }
  /// True: \p t is ours again, run it in place. False: join_slow() decides.
  static bool unfork(context& c, task& t) noexcept { return c.deque_.pop_expected(&t); }

  /// Whether a thief is hungry: now is the time to split work off.
  static bool hungry(const context& c) noexcept { return c.deque_.asked(); }
  /// Whether the worker is to leave at the next boundary (pool::resize).
  static bool leaving(const context& c) noexcept;
  static void count_morsel(context& c, bool local) noexcept;

  static void fork_slow(context& c, task& t) noexcept;
  /// True: run \p t in place after all. False: it has been run elsewhere and is finished.
  static bool join_slow(context& c, task& t) noexcept;

  /// Around the running of a join's task that was taken from a deque.
  static void begin_taken(context& c, task& t) noexcept {
    t.word.store(task_state::running(c.slot_), std::memory_order_relaxed);
  }
  static void finish_taken(context& c, task& t, std::uintptr_t outcome) noexcept;
  static void count_elsewhere(context& c) noexcept { c.elsewhere_.add(); }
  static std::uint64_t forks(const context& c) noexcept { return c.forks_.get(); }
  static std::uint64_t elsewhere(const context& c) noexcept { return c.elsewhere_.get(); }
  static void reset(context& c) noexcept {
    c.forks_.reset();
    c.elsewhere_.reset();
  }
};

#if defined(__GNUC__)
// One pointer; the initial-exec model spares a function call for each look-up, and fits into the
// reserve that the C library keeps for libraries loaded later.
extern thread_local constinit context* current_context __attribute__((tls_model("initial-exec")));
#else
extern thread_local constinit context* current_context;
#endif

inline context* context_access::current() noexcept { return current_context; }

}  // namespace detail
}  // namespace nearfork
