/// \file
/// The work-stealing deque: Chase-Lev with a private tail, growing and shrinking.
///
/// States, invariants, the argument for every memory order and the proof sketch are in
/// core/deque/README.md. In short: indices rise for ever; [top, split) is public and follows
/// Chase and Lev (SPAA 2005, C11 orders after Le et al., PPoPP 2013) with `split` in the place of
/// `bottom`; [split, tail) is private: its owner pushes and pops without a fence. A hungry thief
/// lowers `limit`, which sends the owner's next push to the slow path, where it publishes half of
/// its tail. From an owner that neither pushes nor pops a thief may take privacy away (revoke),
/// at the price of one heavy barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/detail/atomic.hpp>
#include <nearfork/detail/counter.hpp>
#include <nearfork/detail/spin_lock.hpp>
#include <new>
#include <utility>

namespace nearfork::detail {

/// The array behind a deque: slots for the indices [base, base + capacity).
template <class T>
struct deque_buffer {
  std::int64_t base = 0;
  std::int64_t capacity = 0;
  atomic<T*>* slots = nullptr;  ///< slots[-1] exists and stays null: see deque_owner::pop_expected

  atomic<T*>* slot(std::int64_t index) const noexcept { return slots + (index - base); }
  std::int64_t index(const atomic<T*>* slot) const noexcept { return base + (slot - slots); }
};

/// What a steal came to.
enum class steal_result : std::uint8_t {
  empty,     ///< nothing public
  retry,     ///< lost a race for the oldest task: there may be more
  rejected,  ///< the filter did not want the oldest task
  task       ///< won
};

/// What a revocation came to.
enum class revoke_result : std::uint8_t { nothing, busy, published };

/// All state that the owner and its thieves share. Use it through deque_owner and deque_thief.
///
/// Memory gives and takes back buffers:
///   deque_buffer<T>* allocate(std::int64_t capacity)   null when there is no memory
///   void retire(deque_buffer<T>*)                      frees it once no thief can read it
///   void release(deque_buffer<T>*)                     frees it now
template <class T, class Memory>
struct deque_state {
  // Written by the owner at every push and pop.
  alignas(cache_line) atomic<atomic<T*>*> tail;
  // Read by the owner at every push and pop, written rarely.
  alignas(cache_line) atomic<atomic<T*>*> limit;
  atomic<atomic<T*>*> guard;
  // Written by thieves.
  alignas(cache_line) atomic<std::int64_t> top;
  // Read by thieves; written in the owner's slow path and by a revoking thief, under the lock.
  alignas(cache_line) atomic<std::int64_t> split;
  atomic<deque_buffer<T>*> buffer;
  spin_lock lock;
  // The owner's alone, except min_capacity and asymmetric, which never change.
  alignas(cache_line) Memory memory;
  std::int64_t min_capacity;
  bool asymmetric;
  counter growths;
  counter shrinks;
  counter publications;

  template <class... Args>
  deque_state(std::int64_t capacity, bool heavy_barrier_available, Args&&... memory_args)
      : memory(std::forward<Args>(memory_args)...),
        min_capacity(capacity),
        asymmetric(heavy_barrier_available) {}
};

template <class T, class Memory>
class deque_owner;

/// A thief's view of a deque: steals the oldest task, asks for publication, revokes privacy.
/// May be copied and used by any thread whose epoch record is passed to steal().
template <class T, class Memory>
class deque_thief {
 public:
  using slot_type = atomic<T*>;

  explicit deque_thief(deque_state<T, Memory>& state) noexcept : state_(&state) {}

  /// Whether nothing is public, as far as can be seen without ordering anything.
  bool looks_empty() const noexcept {
    return state_->top.load(std::memory_order_relaxed) >=
           state_->split.load(std::memory_order_relaxed);
  }

  /// How many tasks are public, as far as can be seen without ordering anything.
  std::int64_t public_size() const noexcept {
    return state_->split.load(std::memory_order_relaxed) -
           state_->top.load(std::memory_order_relaxed);
  }

  /// Asks the owner to publish at its next push. Cheap; may be called again and again.
  void request() noexcept {
    if (state_->limit.load(std::memory_order_relaxed) != nullptr) {
      // relaxed: whoever relies on the owner seeing it (a sleeper) has a heavy barrier behind it.
      state_->limit.store(nullptr, std::memory_order_relaxed);
    }
  }

  /// Takes the oldest public task if \p wanted(task) says so. \p wanted gets a pointer that must
  /// not be read through: the task is not won yet. \p record is the calling thread's own epoch
  /// record: it keeps the buffer alive while its slot is read.
  template <class Record, class Wanted>
  steal_result steal(T*& task, Record& record, Wanted&& wanted) noexcept {
    record.pin();  // no fence of its own: the one below stands between it and the buffer's load
    const steal_result result = pinned_steal(task, wanted);
    record.unpin();
    return result;
  }

  template <class Record>
  steal_result steal(T*& task, Record& record) noexcept {
    return steal(task, record, [](T*) noexcept { return true; });
  }

  /// Publishes half of the private tail although the owner does not take part. One heavy barrier
  /// (microseconds) when there is a tail.
  revoke_result revoke() noexcept {
    deque_state<T, Memory>& s = *state_;
    if (!s.asymmetric) return revoke_result::nothing;  // everything is public there
    if (!s.lock.try_lock()) return revoke_result::busy;
    const std::int64_t split = s.split.load(std::memory_order_relaxed);
    if (s.top.load(std::memory_order_relaxed) < split) {
      s.lock.unlock();
      return revoke_result::published;
    }
    deque_buffer<T>* const buffer = s.buffer.load(std::memory_order_relaxed);
    std::int64_t end = buffer->index(s.tail.load(std::memory_order_acquire));
    if (end <= split) {
      s.lock.unlock();
      return revoke_result::nothing;
    }
    std::int64_t next = split + (end - split + 1) / 2;
    // From here on the owner's pops below `next` come to the lock...
    s.guard.store(buffer->slot(next), std::memory_order_relaxed);
    heavy_barrier();
    // ...and what it popped before it knew is seen here.
    end = buffer->index(s.tail.load(std::memory_order_acquire));
    if (end < next) {
      next = end > split ? end : split;
      s.guard.store(buffer->slot(next), std::memory_order_relaxed);
    }
    // release: a thief that reads this split sees the slots below it, which the acquire load of
    // tail made visible here.
    s.split.store(next, std::memory_order_release);
    s.lock.unlock();
    return next > split ? revoke_result::published : revoke_result::nothing;
  }

 private:
  template <class Wanted>
  steal_result pinned_steal(T*& task, Wanted& wanted) noexcept {
    deque_state<T, Memory>& s = *state_;
    // acquire: with the compare-and-swap's release it makes what the last winner saw visible.
    std::int64_t top = s.top.load(std::memory_order_acquire);
    // Two duties: top is read before split against the owner's "split written before top is
    // read", and the pin is written before the buffer is read against "buffer written before the
    // records are read" (epoch).
    fence_seq_cst();
    // acquire: the slots below split, and the buffer that holds them.
    const std::int64_t split = s.split.load(std::memory_order_acquire);
    if (top >= split) return steal_result::empty;
    // acquire: the slots copied into a new buffer.
    const deque_buffer<T>* const buffer = s.buffer.load(std::memory_order_acquire);
    const auto offset = static_cast<std::uint64_t>(top - buffer->base);
    if (offset >= static_cast<std::uint64_t>(buffer->capacity)) return steal_result::retry;
    T* const oldest = buffer->slots[offset].load(std::memory_order_relaxed);
    if (!wanted(oldest)) return steal_result::rejected;
    // seq_cst: in one order with the owner's fence. Failure orders nothing: the value is dropped.
    if (!s.top.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
      return steal_result::retry;
    }
    task = oldest;
    return steal_result::task;
  }

  deque_state<T, Memory>* state_;
};

/// The owner's side: one thread at a time.
template <class T, class Memory>
class deque_owner {
 public:
  using slot_type = atomic<T*>;
  using buffer_type = deque_buffer<T>;

  /// \param capacity initial slots, and the size that shrinking stops at.
  /// \param asymmetric whether heavy_barrier() works; if not, every task is public at once.
  /// \throws std::bad_alloc (through Memory)
  template <class... Args>
  deque_owner(std::int64_t capacity, bool asymmetric, Args&&... memory_args)
      : state_(capacity, asymmetric, std::forward<Args>(memory_args)...) {
    buffer_type* const buffer = state_.memory.allocate(capacity);
    if (buffer == nullptr) throw std::bad_alloc();
    buffer->base = 0;
    state_.buffer.store(buffer, std::memory_order_relaxed);
    state_.tail.store(buffer->slots, std::memory_order_relaxed);
    state_.guard.store(buffer->slots, std::memory_order_relaxed);
    state_.limit.store(asymmetric ? buffer->slots + capacity : nullptr, std::memory_order_relaxed);
  }
  deque_owner(const deque_owner&) = delete;
  deque_owner& operator=(const deque_owner&) = delete;
  /// No thief may use the deque any more. Tasks left in it are forgotten.
  ~deque_owner() { state_.memory.release(state_.buffer.load(std::memory_order_relaxed)); }

  deque_thief<T, Memory> thief() noexcept { return deque_thief<T, Memory>(state_); }
  Memory& memory() noexcept { return state_.memory; }

  enum class push_result : std::uint8_t {
    pushed,     ///< done
    published,  ///< done, and tasks became public: whoever sleeps should hear of it
    no_memory   ///< not pushed: the deque is full and cannot grow
  };

  /// Adds the newest task. Afterwards a free slot is always left, so that the next push can
  /// write before it looks.
  push_result push(T* task) noexcept {
    if (push_fast(task)) [[likely]]
      return push_result::pushed;
    return push_slow();
  }

  /// The inline part of push(): false means that push_slow() has to follow.
  bool push_fast(T* task) noexcept {
    slot_type* const slot = state_.tail.load(std::memory_order_relaxed);
    slot->store(task, std::memory_order_relaxed);
    // release: a revoking thief that reads this tail sees the slot and the task.
    state_.tail.store(slot + 1, std::memory_order_release);
    // Tail written before limit is read, against a sleeper's "limit written before tail is read".
    light_barrier();
    // relaxed: a flag.
    return slot + 1 < state_.limit.load(std::memory_order_relaxed);
  }

  /// Takes the newest task if it is \p expected; false: it is not, or somebody has won it, and
  /// pop() has to follow.
  /// The slot left of the first one exists and holds null, so an empty deque compares unequal.
  bool pop_expected(T* expected) noexcept {
    slot_type* const slot = state_.tail.load(std::memory_order_relaxed) - 1;
    if (slot->load(std::memory_order_relaxed) != expected) [[unlikely]]
      return false;
    // release as in push: it heads what a revoking thief reads after it.
    state_.tail.store(slot, std::memory_order_release);
    // Tail written before guard is read, against revoke()'s "guard written before tail is read".
    light_barrier();
    if (slot >= state_.guard.load(std::memory_order_relaxed)) [[likely]]
      return true;
    // Undone, so that the slow path has one beginning. The owner alone writes tail; a revoker
    // that saw the lower value has kept its hands off this slot, which is no harm.
    state_.tail.store(slot + 1, std::memory_order_release);
    return false;
  }

  /// Takes the newest task, or null when there is none.
  T* pop() noexcept {
    slot_type* const slot = state_.tail.load(std::memory_order_relaxed) - 1;
    state_.tail.store(slot, std::memory_order_release);
    light_barrier();
    if (slot >= state_.guard.load(std::memory_order_relaxed)) {
      return slot->load(std::memory_order_relaxed);
    }
    return pop_slow(slot);
  }

  /// Whether the owner has nothing to pop; may say no when thieves have just taken the last.
  bool looks_empty() const noexcept {
    const buffer_type* const buffer = state_.buffer.load(std::memory_order_relaxed);
    return buffer->index(state_.tail.load(std::memory_order_relaxed)) <=
           state_.top.load(std::memory_order_relaxed);
  }

  /// Whether a thief has asked and the next push will publish. Without a private tail the limit is
  /// always down; then: whether a thief would find nothing.
  bool asked() const noexcept {
    return state_.limit.load(std::memory_order_relaxed) == nullptr &&
           (state_.asymmetric || looks_empty());
  }

  /// Index of the next push: tasks pushed from now on have indices from here.
  std::int64_t position() const noexcept {
    return state_.buffer.load(std::memory_order_relaxed)
        ->index(state_.tail.load(std::memory_order_relaxed));
  }
  /// How many tasks are in it, as the owner sees it.
  std::int64_t size() const noexcept {
    const std::int64_t n = position() - state_.top.load(std::memory_order_relaxed);
    return n > 0 ? n : 0;
  }
  std::int64_t capacity() const noexcept {
    return state_.buffer.load(std::memory_order_relaxed)->capacity;
  }
  std::uint64_t growths() const noexcept { return state_.growths.get(); }
  std::uint64_t shrinks() const noexcept { return state_.shrinks.get(); }
  std::uint64_t publications() const noexcept { return state_.publications.get(); }

  /// The rest of push() when a thief asked or the buffer is at its end.
  push_result push_slow() noexcept {
    deque_state<T, Memory>& s = state_;
    s.lock.lock();
    buffer_type* buffer = s.buffer.load(std::memory_order_relaxed);
    std::int64_t end = buffer->index(s.tail.load(std::memory_order_relaxed));
    if (end == buffer->base + buffer->capacity) {
      buffer = relocate(buffer, end);
      if (buffer == nullptr) {
        // Not pushed after all: taken out again the ordinary way, since a revoker may have made
        // it public meanwhile.
        s.lock.unlock();
        if (pop() != nullptr) return push_result::no_memory;
        // Somebody has won it, so it counts as pushed; but the buffer is at its end and empty.
        // Nothing can be pushed before there is memory for at least the smallest one.
        for (;;) {
          s.lock.lock();
          buffer_type* const old = s.buffer.load(std::memory_order_relaxed);
          end = old->index(s.tail.load(std::memory_order_relaxed));
          const bool moved = move_to(old, end, s.min_capacity) != nullptr;
          s.lock.unlock();
          if (moved) return push_result::pushed;
          yield_processor();
        }
      }
    }
    // An exchange: a request that comes after it stays; one that came before it is served below.
    // acq_rel is not needed for data; relaxed keeps only the flag's own order.
    slot_type* const full = s.asymmetric ? buffer->slots + buffer->capacity : nullptr;
    const bool asked = s.limit.exchange(full, std::memory_order_relaxed) == nullptr;
    if (!asked) {
      s.lock.unlock();
      return push_result::pushed;
    }
    const std::int64_t split = s.split.load(std::memory_order_relaxed);
    const std::int64_t next = s.asymmetric ? split + (end - split + 1) / 2 : end;
    s.guard.store(buffer->slot(next), std::memory_order_relaxed);
    // release: the slots below it.
    s.split.store(next, std::memory_order_release);
    s.publications.add();
    s.lock.unlock();
    return push_result::published;
  }

  /// Makes all of the private tail public (a seat is about to be left). Returns whether anything
  /// is public now.
  bool publish_all() noexcept {
    deque_state<T, Memory>& s = state_;
    s.lock.lock();
    buffer_type* const buffer = s.buffer.load(std::memory_order_relaxed);
    const std::int64_t end = buffer->index(s.tail.load(std::memory_order_relaxed));
    s.guard.store(buffer->slot(end), std::memory_order_relaxed);
    s.split.store(end, std::memory_order_release);
    const bool any = s.top.load(std::memory_order_relaxed) < end;
    s.lock.unlock();
    return any;
  }

  /// Gives half of a mostly empty buffer back. Called now and then, when out of work.
  void shrink() noexcept {
    deque_state<T, Memory>& s = state_;
    buffer_type* const buffer = s.buffer.load(std::memory_order_relaxed);
    if (buffer->capacity <= s.min_capacity || size() * 8 > buffer->capacity) return;
    s.lock.lock();
    const std::int64_t end = buffer->index(s.tail.load(std::memory_order_relaxed));
    move_to(buffer, end, buffer->capacity / 2);
    s.lock.unlock();
  }

 private:
  /// A new buffer for a full one: doubled when more than half of it is alive, else of the same
  /// size or smaller with its beginning moved up. Null: no memory, nothing changed.
  buffer_type* relocate(buffer_type* buffer, std::int64_t end) noexcept {
    const std::int64_t alive = end - state_.top.load(std::memory_order_relaxed);
    std::int64_t capacity = buffer->capacity;
    if (alive * 2 > capacity || alive + 1 >= capacity) {
      capacity *= 2;
    } else if (alive * 8 < capacity && capacity / 2 >= state_.min_capacity) {
      capacity /= 2;
    }
    return move_to(buffer, end, capacity);
  }

  /// Under the lock. Copies [top, end) to a buffer that begins at top, and retires the old one.
  buffer_type* move_to(buffer_type* buffer, std::int64_t end, std::int64_t capacity) noexcept {
    deque_state<T, Memory>& s = state_;
    // acquire pairs with the winners' compare-and-swap: slots below top are not needed any more.
    const std::int64_t top = s.top.load(std::memory_order_acquire);
    const std::int64_t split = s.split.load(std::memory_order_relaxed);
    if (end - top >= capacity) return nullptr;
    buffer_type* const next = s.memory.allocate(capacity);
    if (next == nullptr) return nullptr;
    next->base = top;
    for (std::int64_t i = top; i < end; ++i) {
      next->slot(i)->store(buffer->slot(i)->load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
    }
    if (capacity > buffer->capacity) s.growths.add();
    if (capacity < buffer->capacity) s.shrinks.add();
    // release: the copied slots, for thieves that load this buffer.
    s.buffer.store(next, std::memory_order_release);
    s.guard.store(next->slot(split > top ? split : top), std::memory_order_relaxed);
    s.tail.store(next->slot(end), std::memory_order_release);
    // Not the exchange of push_slow: a request must survive.
    slot_type* limit = s.limit.load(std::memory_order_relaxed);
    if (limit != nullptr) {
      s.limit.compare_exchange_strong(limit, next->slots + capacity, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }
    s.memory.retire(buffer);
    return next;
  }

  /// The rest of pop(): tail is lowered to \p slot, which lies below guard.
  T* pop_slow(slot_type* slot) noexcept {
    deque_state<T, Memory>& s = state_;
    s.lock.lock();
    const buffer_type* const buffer = s.buffer.load(std::memory_order_relaxed);
    const std::int64_t index = buffer->index(slot);
    const std::int64_t split = s.split.load(std::memory_order_relaxed);
    if (index >= split) {
      // A revoker had raised guard and has let this task go again.
      s.lock.unlock();
      return slot->load(std::memory_order_relaxed);
    }
    // Here index == split - 1, or the deque was empty (tail was at split).
    std::int64_t top = s.top.load(std::memory_order_relaxed);
    if (top < split) {
      // Take back the newer half of what is public: split is written before top is read.
      for (std::int64_t next = top + (split - top) / 2;; next = index) {
        // release: a thief that reads this value instead of an earlier publication's still sees
        // the slots below it (a relaxed store would end that one's release sequence).
        s.split.store(next, std::memory_order_release);
        fence_seq_cst();
        top = s.top.load(std::memory_order_relaxed);
        if (top < next) {
          // No thief can reach next or beyond any more.
          s.guard.store(buffer->slot(next), std::memory_order_relaxed);
          s.lock.unlock();
          return slot->load(std::memory_order_relaxed);
        }
        if (next == index) break;
      }
    }
    T* task = nullptr;
    if (top == index) {
      // The last one: whoever moves top has it.
      T* const last = slot->load(std::memory_order_relaxed);
      if (s.top.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        task = last;
      }
    }
    // Empty: top == split == tail == index + 1.
    s.split.store(index + 1, std::memory_order_release);
    s.guard.store(slot + 1, std::memory_order_relaxed);
    s.tail.store(slot + 1, std::memory_order_release);
    s.lock.unlock();
    return task;
  }

  deque_state<T, Memory> state_;
};

}  // namespace nearfork::detail
