/// @file
/// The one door through which every atomic access and fence of the lock-free protocols goes.
///
/// Three builds see the same names:
///  - normal: each call is the std::atomic operation of the same name, inlined;
///  - ThreadSanitizer: fences become read-modify-writes, see fence_seq_cst();
///  - model (NEARFORK_MODEL defined): the explorer of tests/model puts its own types in their
///    place and tries every schedule and every value the memory model allows.
///
/// Orders are always written out: a default order is an order nobody argued for, and the explorer
/// weakens each one in turn by the place where it is written.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(NEARFORK_MODEL)
#include "nearfork_model/atomic.hpp"
#else

#include <atomic>
#include <concepts>

#if defined(__SANITIZE_THREAD__)
#define NEARFORK_DETAIL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEARFORK_DETAIL_TSAN 1
#endif
#endif

namespace nearfork::detail {

/// What two writers must keep apart: two lines of 64 bytes, since the adjacent-line prefetcher of
/// current x86 fetches pairs, and one line of those AArch64 machines that have 128 bytes.
inline constexpr std::size_t cache_line = 128;

/// std::atomic<T> with explicit orders only.
template <class T>
class atomic {
  static_assert(std::atomic<T>::is_always_lock_free);

 public:
  constexpr atomic() noexcept : value_(T{}) {}
  constexpr explicit atomic(T initial) noexcept : value_(initial) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order) const noexcept { return value_.load(order); }
  void store(T desired, std::memory_order order) noexcept { value_.store(desired, order); }
  T exchange(T desired, std::memory_order order) noexcept {
    return value_.exchange(desired, order);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    return value_.compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    return value_.compare_exchange_weak(expected, desired, success, failure);
  }
  T fetch_add(T operand, std::memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_add(operand, order);
  }
  T fetch_sub(T operand, std::memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_sub(operand, order);
  }
  T fetch_or(T operand, std::memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_or(operand, order);
  }
  T fetch_and(T operand, std::memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_and(operand, order);
  }

  /// The object's address as the kernel's futex call wants it. No access.
  const void* address() const noexcept { return &value_; }

 private:
  std::atomic<T> value_;
};

/// Data that is not atomic but that a protocol hands from thread to thread. Costs nothing; in the
/// model build every access is checked for races.
template <class T>
class plain {
 public:
  constexpr plain() noexcept : value_{} {}
  constexpr explicit plain(T initial) noexcept : value_(initial) {}
  T get() const noexcept { return value_; }
  void set(T value) noexcept { value_ = value; }

 private:
  T value_;
};

#if defined(NEARFORK_DETAIL_TSAN)
inline std::atomic<std::uint64_t> fence_stand_in{0};
#endif

/// A sequentially consistent fence.
///
/// ThreadSanitizer knows no fences (g++ refuses them). There, an acquire-release
/// read-modify-write on one global object takes its place: all such operations lie in one total
/// order and each reads the one before it, so everything before the earlier happens before
/// everything after the later. That implies all that two SC fences promise each other. It does
/// not make an earlier relaxed load acquire nor a later relaxed store release: write those
/// orders at the load and the store.
inline void fence_seq_cst() noexcept {
#if defined(NEARFORK_DETAIL_TSAN)
  fence_stand_in.fetch_add(1, std::memory_order_acq_rel);
#elif defined(__clang__) && defined(__x86_64__)
  // What g++ emits for the fence; clang's mfence costs several times as much.
  __asm__ __volatile__("lock orl $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// The cheap half of an asymmetric barrier: keeps the compiler from reordering, nothing else.
/// Under ThreadSanitizer a full fence, so that its happens-before has the edges that
/// heavy_barrier() makes on the machine.
inline void light_barrier() noexcept {
#if defined(NEARFORK_DETAIL_TSAN)
  fence_seq_cst();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// The dear half: orders as if at some moment of the call every other thread of the process had
/// executed fence_seq_cst(), and each of their light_barrier() calls had been one in relation to
/// this call. Microseconds. Defined in core (membarrier).
void heavy_barrier() noexcept;

/// Sleeps while `word` holds `expected`: comparison and falling asleep are one atomic step
/// towards futex_wake(). May return without a reason. Defined in core.
void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

/// Wakes up to `count` threads asleep on `word`. Orders nothing. Defined in core.
void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) noexcept;

/// Told to the processor, and to the explorer, inside a loop that waits for another thread: the
/// explorer lets another thread run before this one goes round again.
inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
}

}  // namespace nearfork::detail

#endif
