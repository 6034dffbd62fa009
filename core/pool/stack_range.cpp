#include <pthread.h>

#include "pool/worker.hpp"

namespace nearfork::detail {

stack_range stack_range::of_this_thread() noexcept {
  // Reading it is slow for the main thread (the C library parses the process's map).
  thread_local constinit stack_range known{};
  if (known.high == 0) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void* low = nullptr;
      std::size_t size = 0;
      pthread_attr_getstack(&attributes, &low, &size);
      pthread_attr_destroy(&attributes);
      known.low = reinterpret_cast<std::uintptr_t>(low);
      known.high = known.low + size;
    }
  }
  return known;
}

}  // namespace nearfork::detail
