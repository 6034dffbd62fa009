/// \file
/// Shows on stderr what a long run is doing: a line that is rewritten on a terminal, a new line
/// every few seconds elsewhere (logs of batch jobs). Runs of a few seconds stay silent.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace demo {

class progress {
 public:
  progress() : progress(isatty(STDERR_FILENO) != 0) {}
  explicit progress(bool terminal)
      : progress(terminal, std::chrono::seconds(terminal ? 2 : 5),
                 terminal ? std::chrono::milliseconds(200) : std::chrono::seconds(5)) {}
  /// \param terminal  whether a line can be rewritten
  /// \param silent    how long nothing is shown at first
  /// \param pause     time between two showings
  progress(bool terminal, std::chrono::milliseconds silent, std::chrono::milliseconds pause)
      : terminal_(terminal), silent_(silent), pause_(pause) {
    try {
      shown_by_ = std::jthread([this](const std::stop_token& stop) { show_until(stop); });
    } catch (const std::system_error&) {
      // No thread to be had: the work matters more than its progress.
    }
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// A new stretch of work begins: \p name, which ends after \p total units (0: nobody knows).
  void begin(std::string name, std::uint64_t total = 0) {
    const std::lock_guard lock(mutex_);
    name_ = std::move(name);
    total_ = total;
    done_.store(0, std::memory_order_relaxed);
  }

  /// \p units more are done. By any thread, at any rate below a million a second.
  void add(std::uint64_t units) noexcept { done_.fetch_add(units, std::memory_order_relaxed); }

  /// Takes the line away, before something else is printed.
  void clear() {
    const std::lock_guard lock(mutex_);
    name_.clear();
    erase();
  }

 private:
  using clock = std::chrono::steady_clock;

  void show_until(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (clock::time_point next = start_ + silent_;; next += pause_) {
      if (wake_.wait_until(lock, stop, next, [] { return false; }) || stop.stop_requested()) {
        erase();
        return;
      }
      if (!name_.empty()) {
        show();
      }
    }
  }

  void show() {
    std::string line = name_;
    if (total_ != 0) {
      const std::uint64_t done = std::min(total_, done_.load(std::memory_order_relaxed));
      line += fmt::format(", {:.0f} %",
                          100.0 * static_cast<double>(done) / static_cast<double>(total_));
    }
    const double elapsed = std::chrono::duration<double>(clock::now() - start_).count();
    line += fmt::format(", {:.0f} s since the start", elapsed);
    fmt::print(stderr, "{}{}", line, terminal_ ? "\x1b[K\r" : "\n");
    std::fflush(stderr);
    visible_ = terminal_;
  }

  void erase() {
    if (visible_) {
      fmt::print(stderr, "\x1b[K");
      std::fflush(stderr);
      visible_ = false;
    }
  }

  const bool terminal_;
  const std::chrono::milliseconds silent_, pause_;
  const clock::time_point start_ = clock::now();
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string name_;         // guarded by mutex_
  std::uint64_t total_ = 0;  // guarded by mutex_
  bool visible_ = false;     // guarded by mutex_
  // On a line of its own: workers write it while others read what is around.
  alignas(128) std::atomic<std::uint64_t> done_{0};
  alignas(128) std::jthread shown_by_;  // last: ends before all else does
};

}  // namespace demo
