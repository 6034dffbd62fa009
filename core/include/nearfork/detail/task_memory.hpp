/// \file
/// Memory of tasks that outlive their spawner's frame: from the spawning worker's own cache on its
/// own node; freed by whoever ran the task, it returns there.
#pragma once

#include <memory>
#include <nearfork/context.hpp>
#include <nearfork/detail/node_cache.hpp>
#include <new>
#include <utility>

namespace nearfork::detail {

/// Memory for a task made by a thread that is no worker. \throws std::bad_alloc
void* allocate_outside(std::size_t bytes, std::size_t alignment);

/// Makes a task, near the worker \p c where there is one. \throws std::bad_alloc and what the
/// task's constructor throws
template <class Task, class... Args>
Task* create_task(context* c, Args&&... args) {
  void* const memory = c != nullptr
                           ? context_access::cache(*c).allocate(sizeof(Task), alignof(Task))
                           : allocate_outside(sizeof(Task), alignof(Task));
  try {
    return ::new (memory) Task(std::forward<Args>(args)...);
  } catch (...) {
    return_memory(memory, sizeof(Task), alignof(Task));
    throw;
  }
}

/// Destroys a task on the worker that ran it.
template <class Task>
void destroy_task(context& c, Task* t) noexcept {
  std::destroy_at(t);
  context_access::cache(c).deallocate(t, sizeof(Task), alignof(Task));
}

}  // namespace nearfork::detail
