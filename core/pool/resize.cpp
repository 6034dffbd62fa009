// Pools that change size, and stand-ins for workers whose tasks block.
#include <algorithm>
#include <nearfork/blocking.hpp>
#include <string>

#include "pool/registry.hpp"
#include "pool/scheduler.hpp"
#include "pool/warn.hpp"

namespace nearfork::detail {

void scheduler::enable(worker& w) noexcept {
  // release: a stand-in that finds itself allowed and wakes by itself sees its new place.
  w.enabled.store(1, std::memory_order_release);
  // The order is written before the seat is read, against bench().
  fence_seq_cst();
  sleep_.resume(w.slot());
}

void scheduler::disable(worker& w) noexcept {
  w.enabled.store(0, std::memory_order_relaxed);
  fence_seq_cst();
  // A sleeper rises to take itself out: it must not be counted among those that can be woken.
  sleep_.wake(w.slot());
}

void scheduler::resize(std::size_t workers) {
  check_process();
  if (workers == 0 || workers > limit_) {
    throw config_error("pool::resize: " + std::to_string(workers) +
                       " workers are not accepted; accepted are 1 to " + std::to_string(limit_));
  }
  const std::lock_guard layout(layout_mutex_);
  if (workers > regular_.size()) {
    placement next = make_placement(*machine_, asked(workers));
    const placement& old = plan();
    // Whoever is there stays there; newcomers get the places that are left.
    for (std::size_t i = 0; i < old.workers.size(); ++i) {
      const auto same =
          std::find_if(next.workers.begin() + static_cast<std::ptrdiff_t>(i), next.workers.end(),
                       [&](const worker_place& p) { return p.pu == old.workers[i].pu; });
      if (same == next.workers.end()) continue;
      const auto k = static_cast<std::size_t>(same - next.workers.begin());
      if (k != i) exchange_workers(next, i, k);
    }
    for (const std::string& w : next.warnings) warn(w);
    plans_.push_back(std::move(next));
    placement& plan = plans_.back();
    unregister_pool(old);
    plan_.store(&plan, std::memory_order_release);
    register_pool(plan);
    const std::size_t before = count();
    const std::size_t had = regular_.size();
    start_batch(workers - had, plan.workers.data() + had);
    for (std::size_t i = before; i < count(); ++i) regular_.push_back(workers_[i]);
    if (regular_.size() < workers) {
      warn("only " + std::to_string(regular_.size()) + " of " + std::to_string(workers) +
           " workers could be started: the pool is smaller");
      cut_plan(plan, regular_.size());
      workers = regular_.size();
    }
    layout_.fetch_add(1, std::memory_order_release);
    for (std::size_t i = had; i < regular_.size(); ++i) connect(*regular_[i]);
    open_gate();
  }
  regular_enabled_.store(workers, std::memory_order_relaxed);
  for (std::size_t i = 0; i < regular_.size(); ++i) {
    if (i < workers) {
      enable(*regular_[i]);
    } else {
      disable(*regular_[i]);
    }
  }
}

void scheduler::exchange_workers(placement& plan, std::size_t a, std::size_t b) {
  std::swap(plan.workers[a], plan.workers[b]);
  std::swap(plan.workers[a].id, plan.workers[b].id);
  std::swap(plan.victims[a], plan.victims[b]);
  const auto rename = [&](std::vector<worker_index>& ids) {
    for (worker_index& i : ids) i = i == a ? b : i == b ? a : i;
  };
  for (victim_rings& r : plan.victims) {
    rename(r.smt);
    rename(r.cache);
    rename(r.node);
    for (auto& group : r.remote) rename(group);
  }
}

worker* scheduler::begin_blocking(worker& w) noexcept {
  try {
    const std::lock_guard layout(layout_mutex_);
    const auto idle = std::find_if(stand_ins_.begin(), stand_ins_.end(), [](worker* s) {
      return s->seat.load(std::memory_order_acquire) == seat_state::benched &&
             s->enabled.load(std::memory_order_relaxed) == 0;
    });
    const bool is_new = idle == stand_ins_.end();
    if (is_new) {
      if (count() >= 2 * limit_) return nullptr;
      start_batch(1, w.place);
      if (stand_ins_.size() + regular_.size() == count()) {
        open_gate();
        warn(
            "no thread can be had to stand in for a blocked worker: its core stays idle meanwhile");
        return nullptr;
      }
      stand_ins_.push_back(workers_[count() - 1]);
      layout_.fetch_add(1, std::memory_order_release);
    }
    worker& s = is_new ? *stand_ins_.back() : **idle;
    s.stand_in_for(w);
    connect(s);
    w.deque().publish_all();
    if (is_new) {
      open_gate();
    } else {
      enable(s);
    }
    return &s;
  } catch (...) {
    return nullptr;
  }
}

void scheduler::end_blocking(worker* stand_in) noexcept {
  if (stand_in != nullptr) disable(*stand_in);
}

blocking_region::blocking_region() noexcept : worker_(nullptr), stand_in_(nullptr) {
  auto* const w = static_cast<worker*>(context_access::current());
  if (w == nullptr) return;
  worker_ = w;
  stand_in_ = w->owner.begin_blocking(*w);
}

blocking_region::~blocking_region() {
  if (worker_ != nullptr) worker_->owner.end_blocking(stand_in_);
}

}  // namespace nearfork::detail
