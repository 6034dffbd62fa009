// LD_PRELOAD: makes the kernel's calls about memory nodes fail or lie.
//
//   NEARFORK_SHIM_MBIND=EPERM|ENOSYS|EINVAL|ENOMEM   mbind fails with this
//   NEARFORK_SHIM_MOVE_PAGES=EPERM|ENOSYS            move_pages fails with this
//   NEARFORK_SHIM_MOVE_PAGES=first-lie               answers -EFAULT for a page the first time it
//   is
//                                                    asked for it, as with automatic balancing
//   NEARFORK_SHIM_MOVE_PAGES=elsewhere               says node 1 for every page that is present
//   NEARFORK_SHIM_CALLS=1                            at the end, the number of calls on stderr
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> mbind_calls{0};
std::atomic<long> move_pages_calls{0};

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int error_named(const char* name) {
  if (std::strcmp(name, "EPERM") == 0) return EPERM;
  if (std::strcmp(name, "ENOSYS") == 0) return ENOSYS;
  if (std::strcmp(name, "EINVAL") == 0) return EINVAL;
  if (std::strcmp(name, "ENOMEM") == 0) return ENOMEM;
  return 0;
}

struct report {
  ~report() {
    if (*setting("NEARFORK_SHIM_CALLS") != '\0')
      std::fprintf(stderr, "shim: mbind %ld move_pages %ld\n", mbind_calls.load(),
                   move_pages_calls.load());
  }
} at_end;

}  // namespace

extern "C" {

__attribute__((visibility("default"))) long mbind(void* start, unsigned long bytes, int mode,
                                                  const unsigned long* mask, unsigned long bits,
                                                  unsigned flags) {
  using call = long (*)(void*, unsigned long, int, const unsigned long*, unsigned long, unsigned);
  static const auto real = reinterpret_cast<call>(dlsym(RTLD_NEXT, "mbind"));
  mbind_calls.fetch_add(1);
  if (const int error = error_named(setting("NEARFORK_SHIM_MBIND"))) {
    errno = error;
    return -1;
  }
  return real(start, bytes, mode, mask, bits, flags);
}

__attribute__((visibility("default"))) long move_pages(int pid, unsigned long count, void** pages,
                                                       const int* nodes, int* status, int flags) {
  using call = long (*)(int, unsigned long, void**, const int*, int*, int);
  static const auto real = reinterpret_cast<call>(dlsym(RTLD_NEXT, "move_pages"));
  move_pages_calls.fetch_add(1);
  const char* how = setting("NEARFORK_SHIM_MOVE_PAGES");
  if (const int error = error_named(how)) {
    errno = error;
    return -1;
  }
  const long result = real(pid, count, pages, nodes, status, flags);
  if (result < 0) return result;
  for (unsigned long i = 0; i < count; ++i) {
    if (std::strcmp(how, "hidden") == 0 && count > 1) status[i] = -EFAULT;
    if (std::strcmp(how, "elsewhere") == 0 && status[i] >= 0) status[i] = 1;
  }
  return result;
}

}  // extern "C"
