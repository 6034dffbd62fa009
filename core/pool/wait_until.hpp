/// \file
/// Waiting inside a task: the worker helps meanwhile.
#pragma once

#include "pool/scheduler.hpp"

namespace nearfork::detail {

/// The time a waiting worker sleeps before it looks again by itself; doubles up to the longest.
inline constexpr std::chrono::nanoseconds first_nap = std::chrono::microseconds(100);
inline constexpr std::chrono::nanoseconds longest_nap = std::chrono::milliseconds(2);

template <class Done, class Helper, class Sleep>
void scheduler::wait_until(worker& w, std::int64_t own_from, Done done, Helper helper,
                           Sleep sleep) noexcept {
  const bool isolated = w.isolation_floor != INT64_MIN;
  auto nap = first_nap;
  bool idle = false;
  bool revoked = false;
  worker* stand_in = nullptr;
  std::uint32_t round = 0;  // of the present search
  clock::time_point idle_since;
  const auto end_idle = [&] {
    if (idle)
      w.counters.waiting_ns.add(static_cast<std::uint64_t>((clock::now() - idle_since).count()));
    idle = false;
  };
  for (;;) {
    if (done()) break;
    const bool shallow = w.stack_used() <= w.stack_size() / 4;
    // What was there before what is waited for only where the stack can bear it.
    task* t = pop_own(w, shallow ? INT64_MIN : own_from);
    if (t == nullptr && !isolated) {
      // Whoever runs what we wait for has its parts: they lie deeper than we do.
      const std::size_t h = helper();
      if (h < count() && h != w.slot()) {
        t = steal_from(w, *workers_[h], false);
      }
      // Strangers' tasks only where the stack cannot grow by them beyond what a serial run needs,
      // or while it is nearly empty.
      if (t == nullptr && w.enabled.load(std::memory_order_relaxed) != 0) {
        t = steal_round(w, !shallow, round++);
        if (t == nullptr && shallow) t = take_injected(w);
      }
    }
    if (t != nullptr) {
      end_idle();
      execute(w, *t);
      nap = first_nap;
      revoked = false;
      round = 0;
      continue;
    }
    const clock::time_point now = clock::now();
    if (!idle) {
      idle = true;
      idle_since = now;
    }
    const auto waited = now - idle_since;
    if (!isolated && !revoked && waited > options_.spin / 4) {
      revoked = true;
      renew_layout(w);
      if (revoke_round(w)) continue;
    }
    if (waited < options_.spin && !oversubscribed_.load(std::memory_order_relaxed)) {
      spin_pause();
    } else {
      // Work that this wait may not take (older, injected, or a stranger's to an isolated wait) and
      // that nobody has taken for some milliseconds may be what is waited for.
      if (nap == longest_nap && stand_in == nullptr && refuses_work(w)) {
        stand_in = begin_blocking(w);
      }
      sleep(nap);
      nap = nap * 2 < longest_nap ? nap * 2 : longest_nap;
      revoked = false;  // a sleeper looks at private tails each time
    }
  }
  end_idle();
  end_blocking(stand_in);
}

}  // namespace nearfork::detail
