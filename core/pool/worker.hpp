/// \file
/// One worker: its seat, its victims, its counters.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nearfork/context.hpp>
#include <nearfork/detail/epoch.hpp>
#include <nearfork/placement.hpp>
#include <nearfork/statistics.hpp>
#include <vector>

namespace nearfork::detail {

class scheduler;

using clock = std::chrono::steady_clock;

/// Victims at one distance.
struct victim_group {
  ring kind = ring::node;
  std::vector<worker*> victims;
};

/// Numbers that the worker's thread alone writes.
struct worker_counters {
  counter taken;  // tasks run that came from a deque or an injector
  std::array<counter, ring_count> steals;
  std::array<counter, ring_count> attempts;
  counter empty;
  counter lost;
  counter injected;
  counter parks;
  counter wakeups;
  counter revocations;
  counter searching_ns;
  counter parked_ns;
  counter waiting_ns;  // idle inside a wait
  counter quiet_ns;    // the latest
  counter spawned;     // tasks of groups and submissions pushed here
  counter morsels_local;
  counter morsels_remote;
};

/// A thread's stack: positions on it tell how deep a task lies.
struct stack_range {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  /// The calling thread's; looked up once a thread.
  static stack_range of_this_thread() noexcept;
};

/// Everything about one worker. Built by the worker's own thread on its own core; whoever sits
/// in its seat (that thread or a guest) is "the worker".
struct worker : context {
  worker(scheduler& s, const worker_place& place, std::size_t slot, std::size_t node_os_id,
         std::int64_t capacity, bool asymmetric, limbo& retired, const epoch_clock& time);

  scheduler& owner;
  const worker_place* place;  // a stand-in's changes while it is benched
  task_thief thief;
  epoch_record record;

  // Others write or wait here.
  alignas(cache_line) atomic<std::uint32_t> seat;
  atomic<std::uint32_t> wait_word;   // counts up when a join it waits for is finished
  atomic<std::uint32_t> enabled{1};  // 0: to be benched at the next task boundary

  // The stack that runs in the seat at present.
  alignas(cache_line) atomic<std::uintptr_t> stack_low;
  atomic<std::uintptr_t> stack_high;

  // The worker's own.
  alignas(cache_line) worker_counters counters;
  std::vector<victim_group> victims;
  std::vector<worker*> nearest;  // all others, nearest first
  std::vector<ring> rings;       // by slot: which ring it is in
  std::uint32_t layout = 0;      // which state of the pool these two are from
  std::uint64_t random = 0;
  std::uint32_t tick = 0;
  std::int64_t isolation_floor = INT64_MIN;  // waits take back only from here on

  void use_stack(const stack_range& s) noexcept {
    stack_low.store(s.low, std::memory_order_relaxed);
    stack_high.store(s.high, std::memory_order_relaxed);
  }
  /// Bytes of the current stack in use.
  std::uintptr_t stack_used() const noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t high = stack_high.load(std::memory_order_relaxed);
    return high > here ? high - here : 0;
  }
  std::uintptr_t stack_size() const noexcept {
    return stack_high.load(std::memory_order_relaxed) - stack_low.load(std::memory_order_relaxed);
  }

  std::uint32_t next_random() noexcept {
    // xorshift64*, Vigna 2016: enough to pick victims by.
    random ^= random >> 12;
    random ^= random << 25;
    random ^= random >> 27;
    return static_cast<std::uint32_t>((random * 0x2545F4914F6CDD1DULL) >> 32);
  }

  std::size_t slot() const noexcept { return slot_; }
  /// How far another worker is. One that came since the lists were made: on this node, until then.
  ring ring_of(const worker& other) const noexcept {
    return other.slot_ < rings.size() ? rings[other.slot_] : ring::node;
  }
  /// A stand-in takes another worker's place. While benched.
  void stand_in_for(const worker& host) noexcept {
    place = host.place;
    index_ = host.index_;
    node_ = host.node_;
  }

  task_deque& deque() noexcept { return context_access::deque(*this); }
};

// What a thief reads and what the owner alone writes lie on different lines.
static_assert(alignof(worker) >= cache_line);
static_assert(sizeof(epoch_record) % cache_line == 0);

}  // namespace nearfork::detail
