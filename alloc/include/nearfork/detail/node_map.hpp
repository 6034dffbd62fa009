/// \file
/// Which node a node_index means.
#pragma once

#include <cstddef>
#include <nearfork/indices.hpp>
#include <nearfork/placement.hpp>
#include <span>

namespace nearfork::detail {

/// The os ids of the nodes of the calling thread's pool, by node_index (any_node for each where the
/// pool's machine is not this one); empty where the thread works for none. The span must stay valid
/// while the caller runs.
using node_resolver = std::span<const std::size_t> (*)() noexcept;

/// The engine tells how workers find their pool's nodes; nullptr: they have none. Threads outside
/// of pools get the machine of the environment, as the first of them found it.
void set_node_resolver(node_resolver resolver) noexcept;

/// The os id of a node, or any_node where the machine is not this one.
/// \throws std::out_of_range that says which nodes there are; config_error for a bad
/// NEARFORK_TOPOLOGY.
std::size_t os_id_of(node_index node);

/// The os id that memory of a plan's node is bound to: any_node where the plan's machine is not
/// this one, and for a node that it does not have.
std::size_t os_id_of(const placement& plan, node_index node) noexcept;

}  // namespace nearfork::detail
