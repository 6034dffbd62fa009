/// \file
/// Who sleeps, who searches, who is woken. States, invariant and proof: core/sleep/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/detail/atomic.hpp>

namespace nearfork::detail {

/// What a worker's seat holds. The seat's own thread sleeps on the word while it is not awake.
namespace seat_state {
inline constexpr std::uint32_t awake = 0;    ///< its own thread works or searches
inline constexpr std::uint32_t parked = 1;   ///< its own thread sleeps: may be woken or claimed
inline constexpr std::uint32_t guest = 2;    ///< an outside thread works in its place
inline constexpr std::uint32_t benched = 3;  ///< its own thread sleeps and takes no part
inline constexpr std::uint32_t rising = 4;   ///< being woken: its waker has yet to count it
}  // namespace seat_state

/// How many sleep, how many search, and how often anybody stopped sleeping, in one word.
struct idle_counts {
  static constexpr std::uint64_t one_sleeping = 1;
  static constexpr std::uint64_t one_searching = std::uint64_t{1} << 16;
  static constexpr std::uint64_t one_rise = std::uint64_t{1} << 32;

  std::uint64_t word;
  std::uint32_t sleeping() const noexcept { return word & 0xffff; }
  std::uint32_t searching() const noexcept { return (word >> 16) & 0xffff; }
  std::uint32_t rises() const noexcept { return static_cast<std::uint32_t>(word >> 32); }
};

/// The sleep protocol over a Crew, which provides:
///   std::size_t size()                         workers that are not benched
///   void count_unbenched(change)               their number changes
///   bool may_work(self)                        it is not to be benched any more
///   atomic<std::uint32_t>& seat(i)
///   void request_all(self)                     request() on every deque but self's
///   void request(i)                            request() on i's deque
///   bool work_in_sight(self)                   public tasks, private tails (made public), full
///                                              injectors, or an order to stop
///   bool injectors_filled()                    a task in any injector
///   bool visit_nearest(from, visit)            calls visit(i) for workers, nearest to `from`
///                                              first (from may be npos), until it returns true
template <class Crew>
class sleep_control {
 public:
  explicit sleep_control(Crew& crew) noexcept : crew_(&crew) {}

  idle_counts counts() const noexcept { return {word_.load(std::memory_order_relaxed)}; }

  /// After tasks have become public or were put into an injector: wakes a sleeper if nobody
  /// searches. \p by: the publishing worker, or npos. Returns whether it woke one.
  bool work_published(std::size_t by) noexcept {
    // The work is written before the counts are read, against park()'s opposite order.
    fence_seq_cst();
    const idle_counts now = counts();
    return now.sleeping() != 0 && now.searching() == 0 && wake_one(by);
  }

  /// Enters the searchers, unless there are enough: at most half as many as busy workers, and at
  /// least one.
  bool start_searching() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const idle_counts now{word};
      const std::size_t idle = now.sleeping() + now.searching();
      const std::size_t busy = crew_->size() > idle ? crew_->size() - idle : 0;
      if (now.searching() != 0 && 2 * now.searching() >= busy) return false;
      // seq_cst as every change of the counts: they are in one order with the fences.
      if (word_.compare_exchange_weak(word, word + idle_counts::one_searching,
                                      std::memory_order_seq_cst, std::memory_order_relaxed)) {
        return true;
      }
    }
  }

  /// A searcher found work. The last one to do so looks whether there is more, since producers
  /// relied on somebody searching. Returns whether it woke a sleeper.
  bool found_work(std::size_t self) noexcept {
    const idle_counts before{
        word_.fetch_sub(idle_counts::one_searching, std::memory_order_seq_cst)};
    return before.searching() == 1 && before.sleeping() != 0 && look_everywhere(self) &&
           wake_one(self);
  }

  /// Sleeps until woken. The caller must have an empty deque; afterwards it counts as a searcher.
  /// Returns false if it found work at the last look and did not sleep.
  bool park(std::size_t self, bool searching) noexcept {
    atomic<std::uint32_t>& seat = crew_->seat(self);
    // Counted first: whoever makes the seat rise takes one from the count.
    word_.fetch_add(
        idle_counts::one_sleeping - (searching ? idle_counts::one_searching : std::uint64_t{0}),
        std::memory_order_seq_cst);
    // release: a guest that claims the seat sees this thread's work on it. From here on the
    // caller's own structures may be a guest's.
    seat.store(seat_state::parked, std::memory_order_release);
    if (look_everywhere(self)) {
      if (rise(seat, seat_state::awake, idle_counts::one_searching)) return false;
      // Woken already, or a guest sits here; then the work is somebody else's.
      if (seat.load(std::memory_order_relaxed) == seat_state::guest) wake_one(anybody);
    }
    for (;;) {
      // acquire: what the guest left here, what the waker knew.
      const std::uint32_t state = seat.load(std::memory_order_acquire);
      if (state == seat_state::awake) return true;
      futex_wait(seat, state);
    }
  }

  /// Instead of a worker: one whose own lists are not the calling thread's to read.
  static constexpr std::size_t anybody = static_cast<std::size_t>(-1);

  /// Wakes the nearest sleeper. The woken worker counts as a searcher from now on.
  bool wake_one(std::size_t from) noexcept {
    return crew_->visit_nearest(from, [this](std::size_t i) noexcept { return wake(i); });
  }
  /// Wakes worker \p i if it sleeps.
  bool wake(std::size_t i) noexcept {
    atomic<std::uint32_t>& seat = crew_->seat(i);
    if (seat.load(std::memory_order_relaxed) != seat_state::parked) return false;
    // The counts first: a thread that found its seat awake would go on with counts that still lack
    // its waker's change, and below zero they read as a crowd of searchers.
    if (!rise(seat, seat_state::rising, idle_counts::one_searching)) return false;
    // release: what the waker published.
    seat.store(seat_state::awake, std::memory_order_release);
    futex_wake(seat, 1);
    return true;
  }

  /// Takes the caller out of the pool until resumed; it counts as a searcher afterwards. Its deque
  /// may hold public tasks, but no private ones.
  void bench(std::size_t self) noexcept {
    atomic<std::uint32_t>& seat = crew_->seat(self);
    seat.store(seat_state::benched, std::memory_order_release);
    crew_->count_unbenched(-1);
    // A guest that leaves must not take "the others slept throughout" from a crew that shrank.
    word_.fetch_add(idle_counts::one_rise, std::memory_order_seq_cst);
    // Not by its own list of neighbours: that is whoever resumes it's to change from here on.
    work_published(anybody);
    // The seat is written before the order is read, against resume()'s caller.
    fence_seq_cst();
    if (crew_->may_work(self)) resume(self);
    for (;;) {
      const std::uint32_t state = seat.load(std::memory_order_acquire);
      if (state == seat_state::awake) return;
      futex_wait(seat, state);
    }
  }
  /// Brings a benched worker back. The caller has allowed it to work, with a sequentially
  /// consistent fence behind.
  bool resume(std::size_t i) noexcept {
    atomic<std::uint32_t>& seat = crew_->seat(i);
    std::uint32_t expected = seat_state::benched;
    if (seat.load(std::memory_order_relaxed) != expected) return false;
    // acquire, release: as in rise().
    if (!seat.compare_exchange_strong(expected, seat_state::rising, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
      return false;
    }
    crew_->count_unbenched(+1);
    word_.fetch_add(idle_counts::one_rise + idle_counts::one_searching, std::memory_order_seq_cst);
    seat.store(seat_state::awake, std::memory_order_release);
    futex_wake(seat, 1);
    return true;
  }

  /// What a guest has to remember between claim() and leave().
  struct claim_ticket {
    std::uint32_t rises = 0;
    std::uint32_t others_sleeping = 0;
  };

  /// Takes the seat of a sleeping worker for an outside thread.
  bool claim(std::size_t i, claim_ticket& ticket) noexcept {
    atomic<std::uint32_t>& seat = crew_->seat(i);
    if (seat.load(std::memory_order_relaxed) != seat_state::parked) return false;
    idle_counts before{};
    if (!rise(seat, seat_state::guest, 0, &before)) return false;
    ticket = {before.rises() + 1, before.sleeping() - 1};
    return true;
  }

  /// Gives the seat back. \p work_left: its deque is not empty, its own thread takes over.
  void leave(std::size_t i, const claim_ticket& ticket, bool work_left) noexcept {
    atomic<std::uint32_t>& seat = crew_->seat(i);
    if (work_left) {
      word_.fetch_add(idle_counts::one_searching, std::memory_order_seq_cst);
      // release: the deque as the guest leaves it.
      seat.store(seat_state::awake, std::memory_order_release);
      futex_wake(seat, 1);
      return;
    }
    const bool alone = crew_->size() == 1;
    if (!alone) crew_->request(i);
    word_.fetch_add(idle_counts::one_sleeping, std::memory_order_seq_cst);
    seat.store(seat_state::parked, std::memory_order_release);
    // The seat is written before counts and injectors are read, against work_published(),
    // found_work() and park() of others.
    fence_seq_cst();
    const idle_counts now = counts();
    if (crew_->injectors_filled()) {
      wake_one(anybody);
      return;
    }
    if (alone) return;
    // All others slept all the time: nothing can have appeared and every request still stands.
    if (now.rises() == ticket.rises && ticket.others_sleeping + 1 == crew_->size()) return;
    // Whoever searches looks again before it sleeps, and before it works.
    if (now.searching() != 0) return;
    if (look_everywhere(i)) wake_one(anybody);
  }

 private:
  /// After this, either work is in sight, or every other worker's next push comes to its slow
  /// path and so to work_published().
  bool look_everywhere(std::size_t self) noexcept {
    // The counts are changed before the requests are written.
    fence_seq_cst();
    crew_->request_all(self);
    heavy_barrier();
    return crew_->work_in_sight(self);
  }

  /// parked -> \p to, and one sleeper less.
  bool rise(atomic<std::uint32_t>& seat, std::uint32_t to, std::uint64_t also,
            idle_counts* before = nullptr) noexcept {
    std::uint32_t expected = seat_state::parked;
    // acquire: a guest goes on with what the worker left. release: the woken worker sees what
    // its waker published.
    if (!seat.compare_exchange_strong(expected, to, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
      return false;
    }
    const std::uint64_t word = word_.fetch_add(
        also + idle_counts::one_rise - idle_counts::one_sleeping, std::memory_order_seq_cst);
    if (before != nullptr) before->word = word;
    return true;
  }

  alignas(cache_line) atomic<std::uint64_t> word_;
  Crew* crew_;
};

}  // namespace nearfork::detail
