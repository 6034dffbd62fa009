/// \file
/// Where the engine's deques get their buffers: pages of the owner's node, retired by epochs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/detail/deque.hpp>
#include <nearfork/detail/task.hpp>

namespace nearfork::detail {

class limbo;

/// The Memory of deque_state in the engine.
class buffer_memory {
 public:
  /// \param node_os_id where the pages shall lie (any_node: where they are touched first).
  buffer_memory(limbo& retired, std::size_t node_os_id) noexcept
      : limbo_(&retired), node_(node_os_id) {}

  deque_buffer<task>* allocate(std::int64_t capacity) noexcept;
  void retire(deque_buffer<task>* buffer) noexcept;
  static void release(deque_buffer<task>* buffer) noexcept;

 private:
  limbo* limbo_;
  std::size_t node_;
};

using task_deque = deque_owner<task, buffer_memory>;
using task_thief = deque_thief<task, buffer_memory>;

}  // namespace nearfork::detail
