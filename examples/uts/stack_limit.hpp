/// \file
/// How far down a recursion may go on the calling thread's stack.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace uts {

namespace detail {

inline std::uintptr_t find_stack_limit() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;  // unknown: recurse freely
  }
  void* lowest = nullptr;
  std::size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    return 0;
  }
  // A quarter stays free for what runs on top: the engine's own waiting and the library's calls.
  return reinterpret_cast<std::uintptr_t>(lowest) + size / 4;
}

}  // namespace detail

/// The address below which the calling thread's recursion should not go on.
inline std::uintptr_t stack_limit() noexcept {
  thread_local const std::uintptr_t limit = detail::find_stack_limit();
  return limit;
}

/// Whether the calling function's frame has passed \p limit (stacks grow downwards).
[[gnu::always_inline]] inline bool stack_is_low(std::uintptr_t limit) noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < limit;
}

}  // namespace uts
