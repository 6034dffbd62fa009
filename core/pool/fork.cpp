#include "pool/fork.hpp"

#include <pthread.h>

#include <nearfork/context.hpp>

namespace nearfork::detail {
namespace {

void after_fork_in_child() {
  // A task that forked must not go on serving a pool whose threads and locks are the parent's: its
  // waits would run the parent's tasks a second time.
  current_context = nullptr;
  forget_registered_pools();
  renew_default_pool_lock();
}

}  // namespace

void forget_pools_in_children() noexcept {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

}  // namespace nearfork::detail
