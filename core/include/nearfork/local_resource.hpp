/// \file
/// Memory of the current worker's node, as std::pmr wants it.
#pragma once

#include <nearfork/node_resource.hpp>
#include <nearfork/pool.hpp>

namespace nearfork {

/// node_resource() of the current worker's node; outside of any pool, of node 0. Lives as long as
/// the process; memory may be freed by any thread. Not the worker's own: a task may hand containers
/// on. \throws as node_resource()
inline node_memory_resource& local_resource() {
  const node_index node = current_node();
  return node_resource(node == npos ? 0 : node);
}

}  // namespace nearfork
