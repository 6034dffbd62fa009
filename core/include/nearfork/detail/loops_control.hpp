/// \file
/// What the pieces of one loop share: whether to go on, and the first exception.
#pragma once

#include <cstdint>
#include <exception>
#include <nearfork/detail/atomic.hpp>
#include <stop_token>
#include <utility>

namespace nearfork::detail {

/// Read by all pieces, written once: on a line of its own, since the frame around it is written
/// all the time.
class alignas(cache_line) loop_control {
 public:
  explicit loop_control(const std::stop_token& stop) noexcept
      : stop_(stop.stop_possible() ? &stop : nullptr) {}

  /// Asked before each piece; when it says yes the piece is left out.
  bool halted() noexcept {
    // relaxed: a flag; what it stands for is read after the joins.
    if (halted_.load(std::memory_order_relaxed) != 0) return true;
    if (stop_ == nullptr || !stop_->stop_requested()) [[likely]]
      return false;
    halted_.store(1, std::memory_order_relaxed);
    return true;
  }

  /// Called in a handler: keeps the exception if it is the first, and halts the loop.
  [[gnu::noinline, gnu::cold]] void fail() noexcept {
    if (failed_.exchange(1, std::memory_order_relaxed) == 0) error_ = std::current_exception();
    halted_.store(1, std::memory_order_relaxed);
  }

  /// After all pieces are joined: rethrows the exception, or says whether everything ran.
  bool finish() {
    if (halted_.load(std::memory_order_relaxed) == 0) [[likely]]
      return true;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return false;
  }

 private:
  atomic<std::uint32_t> halted_;  // begin nothing more
  atomic<std::uint32_t> failed_;
  const std::stop_token* stop_;
  std::exception_ptr error_;  // written by whoever set failed_
};

}  // namespace nearfork::detail
