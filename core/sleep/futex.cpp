#include "sleep/futex.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <nearfork/detail/spin_lock.hpp>

namespace nearfork::detail {
namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0U, 0); }

bool register_membarrier() noexcept {
  const long supported = membarrier(MEMBARRIER_CMD_QUERY);
  return supported > 0 && (supported & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
         membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

// EINTR and EAGAIN mean "look again" to every caller, so errno is of no interest.
void wait_on(const void* address, std::uint32_t expected, const timespec* timeout) noexcept {
  const int saved = errno;
  syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, expected, timeout, nullptr, 0);
  errno = saved;
}

}  // namespace

bool heavy_barrier_available() noexcept {
  static const bool available = register_membarrier();
  return available;
}

void heavy_barrier() noexcept {
  // Without the system call no deque has a private tail, and a fence is enough.
  fence_seq_cst();
  if (!heavy_barrier_available()) return;
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) {
    // A forked child may have lost the registration.
    membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
  fence_seq_cst();
}

void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  wait_on(word.address(), expected, nullptr);
}

void futex_wait_for(const atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::chrono::nanoseconds timeout) noexcept {
  timespec t{};
  t.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
  t.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
  wait_on(word.address(), expected, &t);
}

void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
  const int saved = errno;
  const int n = count > static_cast<std::uint32_t>(INT_MAX) ? INT_MAX : static_cast<int>(count);
  syscall(SYS_futex, word.address(), FUTEX_WAKE_PRIVATE, n, nullptr, nullptr, 0);
  errno = saved;
}

void yield_processor() noexcept { sched_yield(); }

}  // namespace nearfork::detail
