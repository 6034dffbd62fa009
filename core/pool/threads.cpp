// Starting, binding and ending the workers' threads.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <memory>
#include <nearfork/detail/node_map.hpp>
#include <new>
#include <string>
#include <system_error>

#include "pool/affinity.hpp"
#include "pool/scheduler.hpp"
#include "pool/warn.hpp"
#include "sleep/futex.hpp"

namespace nearfork::detail {
namespace {

/// All signals blocked while threads are made: workers inherit the mask, so that a program's
/// signals go to its own threads.
class block_signals {
 public:
  block_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    // Faults of the thread itself must still kill or be handled.
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&all, s);
    // A profiler wants its samples from the workers too.
    sigdelset(&all, SIGPROF);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~block_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

class thread_attributes {
 public:
  explicit thread_attributes(std::size_t stack_bytes) {
    pthread_attr_init(&attributes_);
    if (stack_bytes == 0) return;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (stack_bytes + page - 1) / page * page;
    if (const int e = pthread_attr_setstacksize(&attributes_, bytes)) {
      pthread_attr_destroy(&attributes_);
      throw config_error("stack_bytes: " + std::to_string(stack_bytes) +
                         " is not accepted as a thread's stack size (" + std::strerror(e) +
                         "); at least " + std::to_string(PTHREAD_STACK_MIN) + " bytes are needed");
    }
  }
  ~thread_attributes() { pthread_attr_destroy(&attributes_); }
  const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

}  // namespace

int scheduler::start_batch(std::size_t threads, const worker_place* places) {
  const std::size_t first = count();
  const thread_attributes attributes(options_.stack_bytes);
  {
    const std::lock_guard lock(gate_mutex_);
    built_ = failed_ = 0;
    decided_ = first;
  }
  threads_.reserve(threads_.size() + threads);
  std::size_t started = 0;
  int error = 0;
  {
    const block_signals blocked;
    for (; started < threads; ++started) {
      std::unique_ptr<thread_start> start(
          new (std::nothrow) thread_start{this, first + started, places + started});
      if (start == nullptr) {
        error = ENOMEM;
        break;
      }
      pthread_t thread;
      error = pthread_create(&thread, attributes.get(), &scheduler::thread_main, start.get());
      if (error != 0) break;
      static_cast<void>(start.release());  // the thread owns it now
      threads_.push_back(thread);
    }
  }
  // Everybody builds its own part on its own core before anybody looks at a neighbour's.
  std::unique_lock lock(gate_mutex_);
  gate_.wait(lock, [&] { return built_ + failed_ == started; });
  // Used up to the first gap.
  std::size_t usable = 0;
  while (usable < started && workers_[first + usable] != nullptr) ++usable;
  for (std::size_t i = first + usable; i < first + started; ++i) {
    if (workers_[i] == nullptr) continue;
    workers_[i]->~worker();
    free_pages(pages_[i]);
    workers_[i] = nullptr;
  }
  unbenched_.fetch_add(static_cast<std::uint32_t>(usable), std::memory_order_seq_cst);
  // release: the new workers, for thieves and wakers that walk up to the count.
  count_.store(first + usable, std::memory_order_release);
  oversubscribed_.store(first + usable > allowed_pus_here_, std::memory_order_relaxed);
  publish_readers();
  return error != 0 ? error : (usable < threads ? ENOMEM : 0);
}

void scheduler::publish_readers() {
  std::vector<const epoch_record*> readers;
  for (std::size_t i = 0; i < count(); ++i) readers.push_back(&workers_[i]->record);
  limbo_.set_readers(std::move(readers));
}

void scheduler::start_threads() {
  placement& plan = plans_.back();
  const std::size_t wanted = plan.workers.size();
  // Room to grow into: thieves walk the arrays, so they cannot move.
  limit_ = std::max({wanted, plan.allowed_pus.size(), std::size_t{256}});
  workers_ = std::make_unique<worker*[]>(2 * limit_);
  pages_ = std::make_unique<page_block[]>(2 * limit_);
  const std::lock_guard layout(layout_mutex_);
  const int error = start_batch(wanted, plan.workers.data());
  const std::size_t usable = count();
  if (usable == 0) {
    open_gate();
    for (pthread_t t : threads_) pthread_join(t, nullptr);
    threads_.clear();
    throw std::system_error(error, std::generic_category(),
                            "nearfork: the system refuses the pool's first thread");
  }
  if (usable < wanted) {
    warn("only " + std::to_string(usable) + " of " + std::to_string(wanted) +
         " worker threads could be started (" + std::strerror(error) + "): the pool is smaller");
    cut_plan(plan, usable);
  }
  for (std::size_t i = 0; i < usable; ++i) regular_.push_back(workers_[i]);
  regular_enabled_.store(usable, std::memory_order_relaxed);
  for (worker* w : regular_) connect(*w);
  open_gate();
}

void scheduler::cut_plan(placement& plan, std::size_t workers) {
  plan.workers.resize(workers);
  plan.victims.resize(workers);
  const auto gone = [workers](worker_index i) { return i >= workers; };
  for (victim_rings& r : plan.victims) {
    std::erase_if(r.smt, gone);
    std::erase_if(r.cache, gone);
    std::erase_if(r.node, gone);
    for (auto& group : r.remote) std::erase_if(group, gone);
    std::erase_if(r.remote, [](const auto& group) { return group.empty(); });
  }
}

void scheduler::open_gate() {
  const std::lock_guard lock(gate_mutex_);
  decided_ = 2 * limit_;
  gate_.notify_all();
}

void* scheduler::thread_main(void* argument) {
  const std::unique_ptr<thread_start> start(static_cast<thread_start*>(argument));
  scheduler& self = *start->self;
  const std::size_t slot = start->slot;
  bool built = true;
  try {
    self.build_worker(slot, *start->place);
  } catch (const std::bad_alloc&) {
    built = false;
  }
  {
    std::unique_lock lock(self.gate_mutex_);
    ++(built ? self.built_ : self.failed_);
    self.gate_.notify_all();
    self.gate_.wait(lock, [&] { return slot < self.decided_; });
    if (slot >= self.count()) return nullptr;
  }
  worker& w = *self.workers_[slot];
  current_context = &w;
  self.work(w);
  current_context = nullptr;
  return nullptr;
}

void scheduler::build_worker(std::size_t slot, const worker_place& place) {
  const placement& where = plan();
  if (!where.foreign && !place.binding.empty()) bind_this_thread(place.binding);
  const std::string name = "nearfork " + std::to_string(place.id);
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  const std::size_t os_id = os_id_of(where, place.node);
  page_block pages = allocate_pages(sizeof(worker), os_id);
  try {
    // Built here, so that first touch puts it on this node where binding is refused.
    auto* const w = ::new (pages.data)
        worker(*this, place, slot, os_id, static_cast<std::int64_t>(options_.deque_capacity),
               asymmetric_, limbo_, limbo_.clock());
    w->use_stack(stack_range::of_this_thread());
    pages_[slot] = pages;
    workers_[slot] = w;
  } catch (...) {
    free_pages(pages);
    throw;
  }
}

void scheduler::rebind(worker& w) noexcept {
  if (!plan().foreign && !w.place->binding.empty()) bind_this_thread(w.place->binding);
}

void scheduler::connect(worker& w) {
  w.victims.clear();
  w.nearest.clear();
  w.rings.assign(count(), ring::node);
  const auto add = [&](ring kind, std::vector<worker*> group) {
    std::erase(group, &w);
    if (group.empty()) return;
    w.nearest.insert(w.nearest.end(), group.begin(), group.end());
    for (const worker* v : group) w.rings[v->slot()] = kind;
    w.victims.push_back({kind, std::move(group)});
  };
  const auto by_index = [&](const std::vector<worker_index>& ids) {
    std::vector<worker*> group;
    for (worker_index i : ids) {
      if (i < regular_.size()) group.push_back(regular_[i]);
    }
    return group;
  };
  const placement& where = plan();
  // A stand-in sees what its host sees, and the host itself.
  if (w.index() < regular_.size() && regular_[w.index()] != &w) {
    add(ring::smt, {regular_[w.index()]});
  }
  if (w.index() < where.victims.size()) {
    const victim_rings& rings = where.victims[w.index()];
    add(ring::smt, by_index(rings.smt));
    add(ring::cache, by_index(rings.cache));
    add(ring::node, by_index(rings.node));
    for (const auto& ids : rings.remote) add(ring::remote, by_index(ids));
  }
  std::vector<worker*> near;
  std::vector<worker*> far;
  for (worker* s : stand_ins_) (s->node() == w.node() ? near : far).push_back(s);
  add(ring::node, std::move(near));
  add(ring::remote, std::move(far));
  w.layout = layout_.load(std::memory_order_relaxed);
}

void scheduler::renew_layout(worker& w) noexcept {
  if (w.layout == layout_.load(std::memory_order_acquire)) return;
  try {
    const std::lock_guard lock(layout_mutex_);
    connect(w);
  } catch (const std::bad_alloc&) {
    // The lists it has may be cut short, but all they hold is alive.
    w.layout = layout_.load(std::memory_order_relaxed);
  }
}

}  // namespace nearfork::detail
