/// \file
/// Buffers that are out of use and that a thief may still be reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/detail/deque.hpp>
#include <nearfork/detail/epoch.hpp>
#include <nearfork/detail/spin_lock.hpp>
#include <nearfork/detail/task.hpp>
#include <vector>

namespace nearfork::detail {

/// The retired buffers of one pool. Thread-safe; retirements are rare, so a lock will do.
class limbo {
 public:
  epoch_clock& clock() noexcept { return clock_; }

  /// The readers to ask. They must live as long as this does. Called again when there are more,
  /// before the newcomers read anything.
  void set_readers(std::vector<const epoch_record*> readers);

  /// Takes over a buffer that no shared variable leads to any more, and frees what can be freed.
  void retire(deque_buffer<task>* buffer) noexcept;
  /// Frees what no reader can hold any more. Called when out of work.
  void reclaim() noexcept;
  /// Frees everything: no reader is left.
  void clear() noexcept;

  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct retired {
    deque_buffer<task>* buffer;
    std::uint64_t time;
  };
  void reclaim_locked() noexcept;

  epoch_clock clock_;
  spin_lock mutex_;
  std::vector<const epoch_record*> readers_;
  std::vector<retired> retired_;
  atomic<std::size_t> bytes_;
};

}  // namespace nearfork::detail
