// What fork() must not catch half done.
#pragma once

#include <mutex>
#include <nearfork/detail/process.hpp>
#include <nearfork/detail/small_lock.hpp>

namespace nearfork::detail {

/// Registers the fork handlers, the first time. They take every lock of this room around fork(), so
/// that the child finds all shared state whole: it may have to allocate, and to free what the
/// parent's threads had allocated.
void watch_forks() noexcept;

/// The lock of warn_once: the innermost of all.
small_lock& warning_lock() noexcept;

/// Held while LeakSanitizer is told about pages: it does not look after its own lock in a fork.
small_lock& leak_roots_lock() noexcept;

/// All locks of the pools, in the order in which the pools take them.
void lock_pools() noexcept;
void unlock_pools() noexcept;

}  // namespace nearfork::detail
