#include "pool/affinity.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "pool/warn.hpp"

namespace nearfork::detail {
namespace {

/// Kernel masks are arrays of unsigned long, as wide as the highest id needs.
using mask = std::vector<unsigned long>;
constexpr std::size_t bits = sizeof(unsigned long) * 8;

mask to_mask(const std::vector<std::size_t>& pus) {
  mask m(pus.empty() ? 1 : *std::max_element(pus.begin(), pus.end()) / bits + 1);
  for (std::size_t pu : pus) m[pu / bits] |= 1UL << pu % bits;
  return m;
}

int set_mask(pid_t thread, const mask& m) noexcept {
  return syscall(SYS_sched_setaffinity, thread, m.size() * sizeof(unsigned long), m.data()) < 0
             ? errno
             : 0;
}

std::vector<std::size_t> get_mask() {
  for (std::size_t words = 16;; words *= 2) {
    mask m(words);
    const long bytes =
        syscall(SYS_sched_getaffinity, 0, m.size() * sizeof(unsigned long), m.data());
    if (bytes < 0 && errno == EINVAL && words < (1U << 16)) continue;
    std::vector<std::size_t> pus;
    for (std::size_t i = 0; bytes > 0 && i < m.size() * bits; ++i) {
      if ((m[i / bits] >> i % bits & 1) != 0) pus.push_back(i);
    }
    return pus;
  }
}

}  // namespace

bool bind_this_thread(const std::vector<std::size_t>& pus) noexcept {
  try {
    const int error = set_mask(0, to_mask(pus));
    if (error == 0) return true;
    warn(std::string("workers cannot be bound to their cores (") + std::strerror(error) +
         "): they run where the system puts them");
  } catch (const std::bad_alloc&) {
  }
  return false;
}

void caller_binding::bind(const std::vector<std::size_t>& pus) {
  before_ = get_mask();
  if (!before_.empty() && bind_this_thread(pus)) {
    thread_ = static_cast<pid_t>(syscall(SYS_gettid));
  }
}

void caller_binding::restore() noexcept {
  if (thread_ == 0) return;
  try {
    // A thread that has ended meanwhile needs nothing.
    set_mask(thread_, to_mask(before_));
  } catch (const std::bad_alloc&) {
  }
  thread_ = 0;
}

}  // namespace nearfork::detail
