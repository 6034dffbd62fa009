/// \file
/// Leaks of other libraries, left out of the leak check.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define NEARFORK_TEST_LEAK_CHECK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEARFORK_TEST_LEAK_CHECK 1
#endif
#endif

#if defined(NEARFORK_TEST_LEAK_CHECK)
#include <sanitizer/lsan_interface.h>
#endif

namespace nearfork::tests {

/// While it lives, what this thread allocates may leak.
class leak_pause {
 public:
#if defined(NEARFORK_TEST_LEAK_CHECK)
  leak_pause() { __lsan_disable(); }
  ~leak_pause() { __lsan_enable(); }
#else
  leak_pause() {}  // not defaulted: an object without effect would be called unused
  ~leak_pause() {}
#endif
  leak_pause(const leak_pause&) = delete;
  leak_pause& operator=(const leak_pause&) = delete;
};

}  // namespace nearfork::tests
