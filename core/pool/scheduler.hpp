/// \file
/// The engine of one pool.
#pragma once

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nearfork/detail/pages.hpp>
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
  const placement& plan() const noexcept { return plan_; }
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

  // --- for tasks
  /// Makes a heap task available: on \p c's deque when it is a worker here, else by an injector.
  void spawn(context* c, injected_task* task) noexcept;
  void inject(context* c, injected_task* task, node_index node) noexcept;
  void fork_slow(worker& w, task& t) noexcept;
  bool join_slow(worker& w, task& t) noexcept;
  void finish_taken(task& t, std::uintptr_t outcome, std::size_t runner) noexcept;

  /// Runs other tasks in \p w until \p done(). \p sleep(timeout) sleeps until done() may have
  /// changed; \p helper: the worker that runs what is waited for, if known.
  template <class Done, class Helper, class Sleep>
  void wait_until(worker& w, Done done, Helper helper, Sleep sleep) noexcept;

  void execute(worker& w, task& t) noexcept {
    const auto function = reinterpret_cast<task_function>(t.word.load(std::memory_order_relaxed));
    w.counters.taken.add();
    ++w.tick;
    function(t, w);
  }

  // --- the crew of the sleep protocol
  std::size_t size() const noexcept { return count_; }
  atomic<std::uint32_t>& seat(std::size_t i) noexcept { return workers_[i]->seat; }
  void request_all(std::size_t self) noexcept;
  void request(std::size_t i) noexcept { workers_[i]->thief.request(); }
  bool work_in_sight(std::size_t self) noexcept;
  bool injectors_filled() noexcept;
  template <class Visit>
  bool visit_nearest(std::size_t from, Visit visit) noexcept {
    if (from < count_) {
      for (worker* v : workers_[from]->nearest) {
        if (visit(v->index())) return true;
      }
      return visit(from);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (visit(i)) return true;
    }
    return false;
  }

  worker& worker_at(std::size_t i) noexcept { return *workers_[i]; }

 private:
  friend class pool_threads;
  statistics count_from_start() const;
  struct thread_start {
    scheduler* self;
    std::size_t index;
  };

  void make_plan();
  void start_threads();
  void open_gate(std::size_t count);
  static void* thread_main(void* start);
  void build_worker(std::size_t index);
  void connect(worker& w);
  void work(worker& w) noexcept;
  task* next_task(worker& w) noexcept;
  task* search(worker& w) noexcept;
  /// One look at every victim. \p restricted: only tasks that lie at least as deep as this frame.
  task* steal_round(worker& w, bool restricted) noexcept;
  task* steal_from(worker& w, worker& victim, ring kind, bool restricted) noexcept;
  task* take_injected(worker& w) noexcept;
  bool revoke_round(worker& w) noexcept;
  task* pop_own(worker& w) noexcept;
  std::size_t node_of_caller() const noexcept;
  void notify(worker& w) noexcept {
    if (sleep_.work_published(w.index())) w.counters.wakeups.add();
  }

  pool& owner_;
  pool_options options_;
  placement plan_;
  bool asymmetric_;
  std::uint32_t process_;
  limbo limbo_;
  std::deque<injector> injectors_;  // by node_index
  std::vector<page_block> pages_;
  std::vector<worker*> workers_;
  std::vector<pthread_t> threads_;
  std::vector<std::size_t> first_worker_;  // by node_index
  std::size_t count_ = 0;
  bool oversubscribed_ = false;
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
  std::size_t built_ = 0;
  std::size_t failed_ = 0;
  bool gate_open_ = false;
};

/// Rises by one in every forked child: pools know by it whether their threads exist.
std::uint32_t process_generation() noexcept;

}  // namespace nearfork::detail
