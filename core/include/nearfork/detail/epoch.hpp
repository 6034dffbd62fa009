/// \file
/// Reclamation of buffers that thieves may still read. States and proof: core/epoch/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/detail/atomic.hpp>

namespace nearfork::detail {

/// The clock of one pool: rises by one at every retirement.
class epoch_clock {
 public:
  std::uint64_t now() const noexcept { return now_.load(std::memory_order_acquire); }
  /// The moment of a retirement. release: a reader that sees the later time sees the unlinking
  /// that came before it. Returns the time before: readers pinned at it or earlier may hold what
  /// was retired.
  std::uint64_t advance() noexcept { return now_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  // From 1: zero in a record means "not reading".
  alignas(cache_line) atomic<std::uint64_t> now_{1};
};

/// One thread's announcement that it reads. Its owner alone writes it.
class epoch_record {
 public:
  explicit epoch_record(const epoch_clock& clock) noexcept : clock_(&clock) {}

  /// Announces. A sequentially consistent fence of the caller must stand between this and the
  /// first load of anything that can be retired.
  /// release: whoever reads this later pin and not the unpin() before it still has the reads of
  /// earlier pins behind it.
  void pin() noexcept { pinned_.store(clock_->now(), std::memory_order_release); }
  /// release: everything read lies before it.
  void unpin() noexcept { pinned_.store(0, std::memory_order_release); }

  /// Whether this thread may still read something retired at \p time. A sequentially consistent
  /// fence of the caller must stand between the unlinking and this.
  bool may_read(std::uint64_t time) const noexcept {
    // acquire: pairs with unpin(), so that the reads lie before the freeing.
    const std::uint64_t pinned = pinned_.load(std::memory_order_acquire);
    return pinned != 0 && pinned <= time;
  }

 private:
  alignas(cache_line) atomic<std::uint64_t> pinned_;
  const epoch_clock* clock_;
};

}  // namespace nearfork::detail
