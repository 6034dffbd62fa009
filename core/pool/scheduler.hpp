/// \file
/// The engine of one pool.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/process.hpp>
#include <nearfork/detail/root_task.hpp>
#include <nearfork/detail/sleep.hpp>
#include <nearfork/machine.hpp>
#include <nearfork/pool.hpp>
#include <string>
#include <vector>

#include "epoch/limbo.hpp"
#include "pool/affinity.hpp"
#include "pool/injector.hpp"
#include "pool/worker.hpp"

namespace nearfork::detail {

class scheduler {
 public:
  scheduler(pool& owner, pool_options options);
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  // --- for the pool
  const pool_options& options() const noexcept { return options_; }
  const placement& plan() const noexcept { return *plan_.load(std::memory_order_acquire); }
  std::size_t node_count() const noexcept { return injectors_.size(); }
  statistics stats() const;
  void reset_stats();
  /// \throws fork_error when this process is a child of the one that made the pool
  void check_process() const;
  bool foreign_process() const noexcept;
  void run_root(root_base& root);
  void submit(injected_task* task, node_index node) noexcept;
  void submission_started() noexcept { submissions_.fetch_add(1, std::memory_order_relaxed); }
  void submission_done() noexcept;
  pool& owner() noexcept { return owner_; }
  /// The system's ids of the nodes, any_node where the machine is not this one.
  const std::vector<std::size_t>& node_os_ids() const noexcept { return node_os_ids_; }

  // --- for tasks
  /// Makes a heap task available: on \p c's deque when it is a worker here, else by an injector.
  void spawn(context* c, injected_task* task) noexcept;
  void inject(context* c, injected_task* task, node_index node) noexcept;
  void fork_slow(worker& w, task& t) noexcept;
  bool join_slow(worker& w, task& t) noexcept;
  void finish_taken(task& t, std::uintptr_t outcome, std::size_t runner) noexcept;

  /// Runs other tasks in \p w until \p done(). \p sleep(timeout) sleeps until done() may have
  /// changed; \p helper: the worker that runs what is waited for, if known; \p own_from: tasks on
  /// the own deque from this position on belong to what is waited for.
  template <class Done, class Helper, class Sleep>
  void wait_until(worker& w, std::int64_t own_from, Done done, Helper helper, Sleep sleep) noexcept;

  void execute(worker& w, task& t) noexcept {
    const auto function = reinterpret_cast<task_function>(t.word.load(std::memory_order_relaxed));
    w.counters.taken.add();
    ++w.tick;
    function(t, w);
  }

  // --- the crew of the sleep protocol
  /// In the place of a worker's slot: from outside, and where to begin looking.
  static constexpr std::size_t outside = std::size_t{1} << 40;
  /// Whether a benched worker has been called back.
  bool may_work(std::size_t i) noexcept {
    return workers_[i]->enabled.load(std::memory_order_acquire) != 0 ||
           stopping_.load(std::memory_order_acquire) != 0;
  }
  /// Threads that are not benched.
  std::size_t size() const noexcept { return unbenched_.load(std::memory_order_seq_cst); }
  void count_unbenched(std::int32_t change) noexcept {
    unbenched_.fetch_add(static_cast<std::uint32_t>(change), std::memory_order_seq_cst);
  }
  atomic<std::uint32_t>& seat(std::size_t i) noexcept { return workers_[i]->seat; }
  void request_all(std::size_t self) noexcept;
  void request(std::size_t i) noexcept { workers_[i]->thief.request(); }
  bool work_in_sight(std::size_t self) noexcept;
  bool injectors_filled() noexcept;
  template <class Visit>
  bool visit_nearest(std::size_t from, Visit visit) noexcept {
    if (from == npos) from = outside;
    if ((from & outside) != 0) {
      // Not a worker's own lists: they change under it.
      const std::size_t n = count();
      const std::size_t start = from & ~outside;
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = start + k < n ? start + k : start + k - n;
        if (enabled(i) && visit(i)) return true;
      }
      return false;
    }
    for (worker* v : workers_[from]->nearest) {
      if (enabled(v->slot()) && visit(v->slot())) return true;
    }
    return enabled(from) && visit(from);
  }

  // --- changing size
  /// Workers that take part.
  std::size_t worker_count() const noexcept {
    return regular_enabled_.load(std::memory_order_relaxed);
  }
  std::size_t worker_limit() const noexcept { return limit_; }
  void resize(std::size_t workers);
  /// A stand-in for \p w while its task blocks; null when none can be had.
  worker* begin_blocking(worker& w) noexcept;
  void end_blocking(worker* stand_in) noexcept;

 private:
  statistics count_from_start() const;
  struct thread_start {
    scheduler* self;
    std::size_t slot;
    const worker_place* place;
  };

  placement make_plan();
  plan_options asked(std::size_t workers) const noexcept;
  void start_threads();
  int start_batch(std::size_t threads, const worker_place* places);
  static void exchange_workers(placement& plan, std::size_t a, std::size_t b);
  static void cut_plan(placement& plan, std::size_t workers);
  void open_gate();
  static void* thread_main(void* start);
  void build_worker(std::size_t slot, const worker_place& place);
  void connect(worker& w);
  void renew_layout(worker& w) noexcept;
  void rebind(worker& w) noexcept;
  void publish_readers();
  void enable(worker& w) noexcept;
  void disable(worker& w) noexcept;
  /// Threads that exist, benched ones included.
  std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  bool enabled(std::size_t i) const noexcept {
    return workers_[i]->enabled.load(std::memory_order_relaxed) != 0;
  }
  void work(worker& w) noexcept;
  task* next_task(worker& w) noexcept;
  task* search(worker& w) noexcept;
  /// The \p round-th look round of a search. \p restricted: only tasks that lie at least as deep as
  /// this frame.
  task* steal_round(worker& w, bool restricted, std::uint32_t round) noexcept;
  task* steal_from(worker& w, worker& victim, bool restricted) noexcept;
  task* take_injected(worker& w) noexcept;
  bool revoke_round(worker& w) noexcept;
  task* pop_own(worker& w, std::int64_t from) noexcept;
  bool refuses_work(worker& w) noexcept;
  void stop_threads() noexcept;
  std::size_t node_of_caller() const noexcept;
  void notify(worker& w) noexcept {
    if (sleep_.work_published(w.slot())) w.counters.wakeups.add();
  }

  pool& owner_;
  pool_options options_;
  bool asymmetric_;
  unsigned process_;
  limbo limbo_;
  std::deque<injector> injectors_;  // by node_index
  // By slot. Fixed arrays: thieves read them while a pool grows; count_ tells how far.
  std::size_t limit_ = 0;  // of workers; as many stand-ins may come on top
  std::unique_ptr<page_block[]> pages_;
  std::unique_ptr<worker*[]> workers_;
  std::vector<pthread_t> threads_;
  std::vector<worker*> regular_;  // by worker_index
  std::vector<worker*> stand_ins_;
  std::deque<placement> plans_;            // the present one last; earlier ones stay readable
  std::vector<std::size_t> first_worker_;  // by node_index
  std::vector<std::size_t> node_os_ids_;   // by node_index
  atomic<std::size_t> count_;
  atomic<std::uint32_t> unbenched_;
  atomic<std::size_t> regular_enabled_;
  atomic<std::uint32_t> layout_;
  atomic<const placement*> plan_;
  mutable std::mutex
      layout_mutex_;  // guards regular_, stand_ins_ and plans_, and the making of threads
  std::optional<machine> machine_;
  std::size_t allowed_pus_here_ = 1;
  std::atomic<bool> oversubscribed_{false};
  sleep_control<scheduler> sleep_{*this};
  atomic<std::uint32_t> stopping_;
  atomic<std::uint32_t> submissions_;  // not finished yet; the destructor sleeps on it

  caller_binding caller_;
  std::string report_target_;
  const clock::time_point started_ = clock::now();
  mutable std::mutex statistics_mutex_;
  statistics baseline_;  // what the counters were at the last reset

  std::mutex gate_mutex_;
  std::condition_variable gate_;
  std::size_t built_ = 0;    // threads of the present batch that built their part
  std::size_t failed_ = 0;   // ... that could not
  std::size_t decided_ = 0;  // slots below have been told whether they take part
};

}  // namespace nearfork::detail
