// Starting, binding and ending the workers' threads.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <memory>
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

void scheduler::start_threads() {
  const std::size_t wanted = plan_.workers.size();
  workers_.resize(wanted);
  pages_.resize(wanted);
  threads_.reserve(wanted);
  const thread_attributes attributes(options_.stack_bytes);
  int error = 0;
  {
    const block_signals blocked;
    for (std::size_t i = 0; i < wanted; ++i) {
      auto start = std::make_unique<thread_start>(thread_start{this, i});
      pthread_t thread;
      error = pthread_create(&thread, attributes.get(), &scheduler::thread_main, start.get());
      if (error != 0) break;
      start.release();
      threads_.push_back(thread);
    }
  }
  // Everybody builds its own part on its own core before anybody looks at a neighbour's.
  {
    std::unique_lock lock(gate_mutex_);
    gate_.wait(lock, [&] { return built_ + failed_ == threads_.size(); });
  }
  // Workers are used up to the first gap.
  std::size_t usable = 0;
  while (usable < threads_.size() && workers_[usable] != nullptr) ++usable;
  if (usable == 0) {
    open_gate(0);
    for (pthread_t t : threads_) pthread_join(t, nullptr);
    threads_.clear();
    if (error == 0) throw std::bad_alloc();
    throw std::system_error(error, std::generic_category(),
                            "nearfork: the system refuses the pool's first thread");
  }
  if (usable < wanted) {
    warn("only " + std::to_string(usable) + " of " + std::to_string(wanted) +
         " worker threads could be started" +
         (error != 0 ? std::string(" (") + std::strerror(error) + ")" : std::string()) +
         ": the pool is smaller");
    plan_.workers.resize(usable);
    plan_.victims.resize(usable);
    const auto gone = [usable](worker_index i) { return i >= usable; };
    for (victim_rings& r : plan_.victims) {
      std::erase_if(r.smt, gone);
      std::erase_if(r.cache, gone);
      std::erase_if(r.node, gone);
      for (auto& group : r.remote) std::erase_if(group, gone);
      std::erase_if(r.remote, [](const auto& group) { return group.empty(); });
    }
  }
  std::vector<const epoch_record*> readers;
  for (std::size_t i = 0; i < usable; ++i) {
    connect(*workers_[i]);
    readers.push_back(&workers_[i]->record);
  }
  limbo_.set_readers(std::move(readers));
  open_gate(usable);
}

void scheduler::open_gate(std::size_t count) {
  const std::lock_guard lock(gate_mutex_);
  count_ = count;
  gate_open_ = true;
  gate_.notify_all();
}

void* scheduler::thread_main(void* argument) {
  const std::unique_ptr<thread_start> start(static_cast<thread_start*>(argument));
  scheduler& self = *start->self;
  const std::size_t index = start->index;
  bool built = true;
  try {
    self.build_worker(index);
  } catch (const std::bad_alloc&) {
    built = false;
  }
  {
    std::unique_lock lock(self.gate_mutex_);
    ++(built ? self.built_ : self.failed_);
    self.gate_.notify_all();
    self.gate_.wait(lock, [&] { return self.gate_open_; });
    if (index >= self.count_) return nullptr;
  }
  worker& w = *self.workers_[index];
  current_context = &w;
  self.work(w);
  current_context = nullptr;
  return nullptr;
}

void scheduler::build_worker(std::size_t index) {
  const worker_place& place = plan_.workers[index];
  if (!plan_.foreign && !place.binding.empty()) bind_this_thread(place.binding);
  const std::string name = "nearfork " + std::to_string(index);
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  const std::size_t os_id =
      plan_.foreign || place.node >= plan_.nodes.size() ? any_node : plan_.nodes[place.node].os_id;
  page_block pages = allocate_pages(sizeof(worker), os_id);
  try {
    // Built here, so that first touch puts it on this node where binding is refused.
    auto* const w = ::new (pages.data)
        worker(*this, place, os_id, static_cast<std::int64_t>(options_.deque_capacity), asymmetric_,
               limbo_, limbo_.clock());
    w->use_stack(stack_range::of_this_thread());
    pages_[index] = pages;
    workers_[index] = w;
  } catch (...) {
    free_pages(pages);
    throw;
  }
}

void scheduler::connect(worker& w) {
  const auto add = [&](ring kind, const std::vector<worker_index>& ids) {
    if (ids.empty()) return;
    victim_group group{kind, {}};
    for (worker_index i : ids) {
      group.victims.push_back(workers_[i]);
      w.nearest.push_back(workers_[i]);
    }
    w.victims.push_back(std::move(group));
  };
  const victim_rings& rings = plan_.victims[w.index()];
  add(ring::smt, rings.smt);
  add(ring::cache, rings.cache);
  add(ring::node, rings.node);
  for (const auto& ids : rings.remote) add(ring::remote, ids);
}

}  // namespace nearfork::detail
