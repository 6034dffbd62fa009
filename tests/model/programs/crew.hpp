/// @file
/// A small pool for programs on the shipped sleep protocol: workers with shipped deques, one
/// injector, and the worker's loop as core/pool/scheduler.cpp has it, with a search of one round.
#pragma once

#include <array>
#include <cstdint>
#include <nearfork/detail/sleep.hpp>

#include "deque_world.hpp"
#include "pool/injector.hpp"

namespace nearfork::model::programs {

inline constexpr std::size_t outside = static_cast<std::size_t>(-1);

/// `resizable`: workers can be benched, and how many are not is counted.
template <unsigned workers, bool resizable = false>
class crew {
 public:
  static constexpr unsigned max_tasks = 6;
  static constexpr unsigned patience = 1;
  using body = void (*)(crew&, unsigned worker);

  crew() {
    for (unsigned i = 0; i < max_tasks; ++i) bodies_[i] = nullptr;
  }

  // What sleep_control asks of its crew -------------------------------------------------------
  std::size_t size() const noexcept {
    if constexpr (resizable) return unbenched_.load(std::memory_order_seq_cst);
    return workers;
  }
  void count_unbenched(std::int32_t change) noexcept {
    unbenched_.fetch_add(static_cast<std::uint32_t>(change), std::memory_order_seq_cst);
  }
  bool may_work(std::size_t i) const noexcept {
    return i < wanted_.load(std::memory_order_acquire);
  }
  detail::atomic<std::uint32_t>& seat(std::size_t i) noexcept { return members_[i].seat; }
  void request_all(std::size_t self) noexcept {
    for (unsigned i = 0; i < workers; ++i)
      if (i != self) members_[i].deque.thief().request();
  }
  void request(std::size_t i) noexcept { members_[i].deque.thief().request(); }
  bool work_in_sight(std::size_t self) noexcept {
    if (stopping_.load(std::memory_order_acquire) != 0 || injectors_filled()) return true;
    for (unsigned i = 0; i < workers; ++i) {
      if (i == self) continue;
      auto thief = members_[i].deque.thief();
      if (!thief.looks_empty() || thief.revoke() != detail::revoke_result::nothing) return true;
    }
    return false;
  }
  bool injectors_filled() noexcept { return injector_.size() != 0; }
  template <class Visit>
  bool visit_nearest(std::size_t from, Visit visit) noexcept {
    for (unsigned k = 0; k < workers; ++k) {
      const unsigned i = from < workers ? (static_cast<unsigned>(from) + 1 + k) % workers : k;
      if (visit(i)) return true;
    }
    return false;
  }

  // Tasks -------------------------------------------------------------------------------------
  /// Task number i does `b` (nothing if null) and counts as done.
  void set_body(unsigned i, body b) noexcept { bodies_[i] = b; }
  void push(unsigned worker, unsigned i) {
    items[i].payload.set(1);
    ++given_[this_thread()][i];
    switch (members_[worker].deque.push(&items[i])) {
      case owner_side::push_result::published:
        sleep.work_published(worker);
        break;
      case owner_side::push_result::pushed:
        break;
      case owner_side::push_result::no_memory:
        run(worker, &items[i]);
        break;
    }
  }
  /// From outside: one task, number i.
  void inject(unsigned i) {
    items[i].payload.set(1);
    ++given_[this_thread()][i];
    injector_.push(&items[i]);
    sleep.work_published(outside);
  }
  bool is_done(unsigned i) noexcept { return done_[i].load(std::memory_order_acquire) != 0; }
  void wait_for(unsigned i) noexcept {
    while (!is_done(i)) detail::spin_pause();
  }
  void run(unsigned worker, item* t) {
    const auto i = static_cast<std::size_t>(t - items.data());
    require(t->payload.get() == 1, "run: the task is not ready");
    ++ran_[this_thread()][i];
    if (bodies_[i]) bodies_[i](*this, worker);
    done_[i].store(1, std::memory_order_release);
  }

  // The worker's loop -------------------------------------------------------------------------
  /// `searching`: it counts as a searcher already, as after bench().
  void work(unsigned self, bool searching = false) {
    unsigned fruitless = 0;
    for (;;) {
      while (item* const t = next_task(self)) {
        if (searching) {
          searching = false;
          sleep.found_work(self);
        }
        run(self, t);
        fruitless = 0;
      }
      if (stopping_.load(std::memory_order_acquire) != 0) break;
      if (!searching) searching = sleep.start_searching();
      if (item* const t = searching ? search(self) : nullptr) {
        searching = false;
        sleep.found_work(self);
        run(self, t);
        fruitless = 0;
        continue;
      }
      if (stopping_.load(std::memory_order_acquire) != 0) break;
      // Something was in sight, and again and again it could not be had: a lock's holder, or a
      // thread between two steps, stands still.
      if (!sleep.park(self, searching) && ++fruitless > patience) cut();
      searching = true;
    }
  }
  void stop() noexcept {
    stopping_.store(1, std::memory_order_release);
    detail::fence_seq_cst();
    for (unsigned i = 0; i < workers; ++i) sleep.wake(i);
  }
  /// What a worker does that is not wanted any more.
  void bench(unsigned self) {
    members_[self].deque.publish_all();
    sleep.bench(self);
  }
  /// From now on the first `n` workers are wanted.
  void resize(std::uint32_t n) noexcept {
    wanted_.store(n, std::memory_order_release);
    detail::fence_seq_cst();
    for (unsigned i = 0; i < n; ++i) sleep.resume(i);
  }
  /// An outside thread does `b` in a sleeper's seat if there is one; whether there was.
  bool visit(body b) {
    for (unsigned i = 0; i < workers; ++i) {
      typename detail::sleep_control<crew>::claim_ticket ticket;
      if (!sleep.claim(i, ticket)) continue;
      b(*this, i);
      sleep.leave(i, ticket, !members_[i].deque.looks_empty());
      return true;
    }
    return false;
  }

  /// At the end: each task given was run once, and if it was not, nobody may be awake to do it.
  void check(unsigned tasks) {
    for (unsigned i = 0; i < max_tasks; ++i) {
      unsigned given = 0;
      unsigned ran = 0;
      for (const auto& row : given_) given += row[i];
      for (const auto& row : ran_) ran += row[i];
      require(ran <= given, "a task ran twice");
      require(ran >= given, "a task is left and everybody sleeps");
      require(i >= tasks || given == 1, "the program gave fewer tasks than it says");
    }
    const detail::idle_counts counts = sleep.counts();
    require(counts.sleeping() <= workers && counts.searching() <= workers, "counts went below 0");
  }

  std::array<item, max_tasks> items;
  detail::sleep_control<crew> sleep{*this};

 private:
  struct member {
    explicit member(detail::limbo& l) : deque(2, true, l) {}
    owner_side deque;
    detail::atomic<std::uint32_t> seat;
  };

  item* next_task(unsigned self) {
    if (auto* const t = members_[self].deque.pop()) return static_cast<item*>(t);
    return take_injected(self);
  }
  item* take_injected(unsigned self) {
    if (injector_.size() == 0) return nullptr;
    auto* const t = static_cast<item*>(injector_.pop());
    if (t != nullptr && injector_.size() != 0) sleep.work_published(self);
    return t;
  }
  item* search(unsigned self) {
    for (unsigned k = 1; k < workers; ++k) {
      const unsigned victim = (self + k) % workers;
      auto thief = members_[victim].deque.thief();
      if (thief.looks_empty()) {
        thief.request();
        continue;
      }
      detail::task* t = nullptr;
      if (thief.steal(t, clocks_.records[self]) == detail::steal_result::task)
        return static_cast<item*>(t);
    }
    return take_injected(self);
  }

  epochs<workers> clocks_;
  std::array<member, workers> members_ = make(std::make_index_sequence<workers>());
  template <std::size_t... i>
  std::array<member, workers> make(std::index_sequence<i...>) {
    return {((void)i, member(clocks_.limbo))...};
  }
  detail::injector injector_;
  detail::atomic<std::uint32_t> stopping_;
  detail::atomic<std::uint32_t> unbenched_{workers};
  detail::atomic<std::uint32_t> wanted_{workers};
  std::array<detail::atomic<std::uint32_t>, max_tasks> done_;
  std::array<body, max_tasks> bodies_;
  std::array<std::array<std::uint8_t, max_tasks>, 6> given_{};
  std::array<std::array<std::uint8_t, max_tasks>, 6> ran_{};
};

}  // namespace nearfork::model::programs
