#include <bit>
#include <exception>
#include <mutex>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/pool.hpp>
#include <new>
#include <string>

#include "pool/fork.hpp"
#include "pool/scheduler.hpp"

namespace nearfork {
namespace {

pool_options checked(pool_options o) {
  if (o.deque_capacity < 2 || !std::has_single_bit(o.deque_capacity) ||
      o.deque_capacity > (std::size_t{1} << 30)) {
    throw config_error("pool_options::deque_capacity: " + std::to_string(o.deque_capacity) +
                       " is not accepted; accepted are powers of two from 2 to 1073741824");
  }
  if (o.spin < std::chrono::nanoseconds(0)) {
    throw config_error("pool_options::spin: " + std::to_string(o.spin.count()) +
                       " ns is not accepted; accepted are times from 0 on");
  }
  return o;
}

/// A scheduler whose threads are not in this process, or whose destruction was begun by one of
/// them, cannot be taken down: it is left as it is.
void destroy(detail::scheduler* s) {
  const context* const c = detail::current_context;
  const bool from_inside = c != nullptr && &static_cast<const detail::worker*>(c)->owner == s;
  if (s->foreign_process() || from_inside) return;
  delete s;
}

}  // namespace

pool::pool(pool_options options)
    : scheduler_(new detail::scheduler(*this, checked(std::move(options))), &destroy) {}

pool::~pool() = default;

std::size_t pool::worker_count() const noexcept { return scheduler_->worker_count(); }
std::size_t pool::worker_limit() const noexcept { return scheduler_->worker_limit(); }
void pool::resize(std::size_t workers) { scheduler_->resize(workers); }
std::size_t pool::node_count() const noexcept { return scheduler_->node_count(); }
const placement& pool::plan() const noexcept { return scheduler_->plan(); }
const pool_options& pool::options() const noexcept { return scheduler_->options(); }
statistics pool::stats() const { return scheduler_->stats(); }
void pool::reset_stats() { scheduler_->reset_stats(); }

pool* pool::current() noexcept {
  context* const c = detail::current_context;
  return c == nullptr ? nullptr : &static_cast<detail::worker*>(c)->owner.owner();
}

context* pool::own_context() const {
  scheduler_->check_process();
  context* const c = detail::current_context;
  if (c == nullptr || &static_cast<detail::worker*>(c)->owner != scheduler_.get()) return nullptr;
  return c;
}

void pool::run_root(detail::root_base& root) { scheduler_->run_root(root); }

void pool::check_submit(node_index node) const {
  scheduler_->check_process();
  if (node != npos && node >= node_count()) {
    throw std::out_of_range("nearfork: there is no node " + std::to_string(node) +
                            "; this pool has nodes 0 to " + std::to_string(node_count() - 1));
  }
}

void pool::submit_task(detail::injected_task* task, node_index node) noexcept {
  scheduler_->submission_started();
  scheduler_->submit(task, node);
}

worker_index current_worker() noexcept {
  const context* const c = detail::current_context;
  return c == nullptr ? npos : c->index();
}

node_index current_node() noexcept {
  const context* const c = detail::current_context;
  return c == nullptr ? npos : c->node();
}

namespace {
std::mutex default_pool_lock;
}

pool& default_pool() {
  // One per process: a forked child leaves its parent's alone and makes its own.
  static std::unique_ptr<pool> instance;
  static unsigned made_in = 0;
  const std::lock_guard lock(default_pool_lock);
  if (instance == nullptr || made_in != detail::process_generation()) {
    instance = std::make_unique<pool>();
    made_in = detail::process_generation();
  }
  return *instance;
}

namespace detail {

void renew_default_pool_lock() noexcept { ::new (&default_pool_lock) std::mutex; }

void* allocate_outside(std::size_t bytes, std::size_t alignment) {
  return node_pool::of(any_node).allocate(bytes, alignment);
}

void finish_submitted(pool& owner, std::exception_ptr error) noexcept {
  if (error) {
    const auto& handler = owner.options().on_exception;
    if (!handler) {
      try {
        std::rethrow_exception(error);
      } catch (...) {
        std::terminate();
      }
    }
    handler(std::move(error));
  }
  pool_access::scheduler_of(owner).submission_done();
}

bool scheduler::foreign_process() const noexcept { return process_ != process_generation(); }

void scheduler::check_process() const {
  if (foreign_process()) {
    throw fork_error(
        "nearfork: this pool was made before fork(); its threads do not exist in the child. Make "
        "a pool in the child, or use default_pool(), which is made anew");
  }
}

}  // namespace detail
}  // namespace nearfork
