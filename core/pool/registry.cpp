#include "pool/registry.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "pool/fork.hpp"
#include "pool/warn.hpp"

namespace nearfork::detail {
namespace {

struct registry {
  std::mutex mutex;
  std::vector<const placement*> pools;
  registry* before_fork = nullptr;  // the parent's: kept, not looked at

  // Never destroyed: pools may be statics that end later.
  static registry& get() {
    registry* r = present.load(std::memory_order_acquire);
    if (r == nullptr) {
      auto* const made = new registry;
      made->before_fork = past;
      if (present.compare_exchange_strong(r, made, std::memory_order_acq_rel)) return *made;
      delete made;
    }
    return *r;
  }
  static inline std::atomic<registry*> present{nullptr};
  static inline registry* past = nullptr;
};

std::vector<std::size_t> bound_pus(const placement& plan) {
  std::vector<std::size_t> pus;
  if (plan.foreign) return pus;
  for (const worker_place& w : plan.workers) {
    pus.insert(pus.end(), w.binding.begin(), w.binding.end());
  }
  std::sort(pus.begin(), pus.end());
  return pus;
}

}  // namespace

void forget_registered_pools() noexcept {
  // The lock may be held by a thread of the parent: a new registry at the next use.
  if (registry* const r = registry::present.exchange(nullptr)) registry::past = r;
}

void register_pool(const placement& plan) {
  registry& r = registry::get();
  const std::lock_guard lock(r.mutex);
  const std::vector<std::size_t> mine = bound_pus(plan);
  for (const placement* other : r.pools) {
    const std::vector<std::size_t> theirs = bound_pus(*other);
    std::vector<std::size_t> both;
    std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                          std::back_inserter(both));
    if (!both.empty()) {
      warn("two pools of this process are bound to the same cores (PU " +
           std::to_string(both.front()) +
           " and perhaps more): they slow each other down while both work; share one pool, or give "
           "each fewer workers and bind = none");
      break;
    }
  }
  r.pools.push_back(&plan);
}

void unregister_pool(const placement& plan) noexcept {
  registry& r = registry::get();
  const std::lock_guard lock(r.mutex);
  std::erase(r.pools, &plan);
}

}  // namespace nearfork::detail
