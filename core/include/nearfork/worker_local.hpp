/// \file
/// One object a worker.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nearfork/detail/node_map.hpp>
#include <nearfork/detail/pages.hpp>
#include <nearfork/pool.hpp>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {

/// One T for each worker of a pool, made when that worker first asks for it, on its node.
///
/// local() is the worker's own: no two threads use it at once. A task that waits (join, group) may
/// be followed on the same worker by another task before it goes on, so a reference may be kept
/// over a wait, but what it refers to may have been changed by other tasks of the same worker; the
/// worker itself does not change under a task.
template <class T>
class worker_local {
 public:
  /// Objects are made by T().
  explicit worker_local(pool& p = default_pool()) : worker_local(p, [] { return T(); }) {}
  /// Objects are made by \p make(), called by the worker that will use it.
  template <class Make>
    requires std::is_invocable_r_v<T, Make&>
  worker_local(pool& p, Make make) : pool_(&p), make_(std::move(make)), slots_(p.worker_limit()) {}
  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;
  ~worker_local() {
    for (slot& s : slots_) {
      if (s.object == nullptr) continue;
      std::destroy_at(s.object);
      detail::free_pages(s.pages);
    }
  }

  /// The calling worker's object. O(1) but for the first call.
  /// \throws std::logic_error outside of the pool; what making it throws
  T& local() {
    if (pool::current() != pool_) {
      throw std::logic_error(
          "nearfork::worker_local::local: the calling thread is no worker of "
          "the pool that this object was made for");
    }
    slot& s = slots_[current_worker()];
    if (s.object == nullptr) make(s);
    return *s.object;
  }

  /// Folds all objects that exist, in worker order: start = op(start, object). To be called
  /// when no worker uses them.
  template <class U, class Op>
  U combine(U start, Op op) const {
    for (const slot& s : slots_) {
      if (s.object != nullptr) start = op(std::move(start), std::as_const(*s.object));
    }
    return start;
  }
  /// Calls f(object) for all objects that exist, in worker order. As combine().
  template <class F>
  void for_each(F f) {
    for (slot& s : slots_) {
      if (s.object != nullptr) f(*s.object);
    }
  }
  /// How many objects exist.
  std::size_t size() const noexcept {
    std::size_t n = 0;
    for (const slot& s : slots_) n += s.object != nullptr ? 1 : 0;
    return n;
  }

 private:
  struct slot {
    T* object = nullptr;
    detail::page_block pages;
  };

  void make(slot& s) {
    // Whole pages: no two workers' objects on one line, and on the worker's own node.
    s.pages = detail::allocate_pages(sizeof(T), detail::os_id_of(pool_->plan(), current_node()));
    static_assert(alignof(T) <= 4096, "alignments beyond a page are not supported");
    try {
      s.object = ::new (s.pages.data) T(make_());
    } catch (...) {
      detail::free_pages(std::exchange(s.pages, {}));
      throw;
    }
  }

  pool* pool_;
  std::function<T()> make_;
  std::vector<slot> slots_;
};

}  // namespace nearfork
