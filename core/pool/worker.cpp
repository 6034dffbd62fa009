#include "pool/worker.hpp"

#include "pool/scheduler.hpp"

namespace nearfork::detail {

thread_local constinit context* current_context = nullptr;

worker::worker(scheduler& s, const worker_place& where, std::size_t slot, std::size_t node_os_id,
               std::int64_t capacity, bool asymmetric, limbo& retired, const epoch_clock& time)
    : context(retired, node_os_id, capacity, asymmetric, where.id, where.node, slot),
      owner(s),
      place(&where),
      thief(deque_.thief()),
      record(time),
      random(slot * 0x9E3779B97F4A7C15ULL + 0x1234567) {}

void context_access::fork_slow(context& c, task& t) noexcept {
  auto& w = static_cast<worker&>(c);
  w.owner.fork_slow(w, t);
}

bool context_access::join_slow(context& c, task& t) noexcept {
  auto& w = static_cast<worker&>(c);
  return w.owner.join_slow(w, t);
}

bool context_access::leaving(const context& c) noexcept {
  return static_cast<const worker&>(c).enabled.load(std::memory_order_relaxed) == 0;
}

void context_access::count_morsel(context& c, bool local) noexcept {
  worker_counters& n = static_cast<worker&>(c).counters;
  (local ? n.morsels_local : n.morsels_remote).add();
}

void context_access::finish_taken(context& c, task& t, std::uintptr_t outcome) noexcept {
  static_cast<worker&>(c).owner.finish_taken(t, outcome, c.slot_);
}

}  // namespace nearfork::detail
