#include "fork.hpp"

#include <pthread.h>

#include <atomic>

namespace nearfork::detail {

namespace {

std::atomic<unsigned> generation{0};

void before_fork() {
  lock_pools();
  leak_roots_lock().lock();
  warning_lock().lock();
}

void after_fork() {
  warning_lock().unlock();
  leak_roots_lock().unlock();
  unlock_pools();
}

void after_fork_in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  after_fork();
}

}  // namespace

void watch_forks() noexcept {
  // Refusal (no memory) leaves forks as they are without handlers: unsafe only for children of a
  // process with several threads, and nothing better can be done.
  [[maybe_unused]] static const int registered =
      pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

unsigned process_generation() noexcept { return generation.load(std::memory_order_relaxed); }

}  // namespace nearfork::detail
