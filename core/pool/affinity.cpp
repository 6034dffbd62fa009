#include "pool/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <nearfork/detail/affinity.hpp>
#include <new>
#include <string>

#include "pool/warn.hpp"

namespace nearfork::detail {

bool bind_this_thread(const std::vector<std::size_t>& pus) noexcept {
  const int error = set_thread_affinity(pus);
  if (error == 0) return true;
  try {
    warn(std::string("workers cannot be bound to their cores (") + std::strerror(error) +
         "): they run where the system puts them");
  } catch (const std::bad_alloc&) {  // no memory for the warning's text
  }
  return false;
}

void caller_binding::bind(const std::vector<std::size_t>& pus) {
  before_ = thread_affinity().value_or(std::vector<std::size_t>{});
  if (!before_.empty() && bind_this_thread(pus)) {
    thread_ = static_cast<pid_t>(syscall(SYS_gettid));
  }
}

void caller_binding::restore() noexcept {
  // A thread that has ended meanwhile needs nothing.
  if (thread_ != 0) set_thread_affinity(before_, thread_);
  thread_ = 0;
}

}  // namespace nearfork::detail
