/// \file
/// From hwloc's objects to plain data.
#pragma once

#include <nearfork/detail/machine_data.hpp>
#include <span>
#include <vector>

#include "src/hwloc_handle.hpp"
#include "src/kernel_nodes.hpp"

namespace nearfork::detail {

/// Turns a loaded topology into plain data. \p kernel is what the kernel says of its nodes, empty
/// for a foreign machine. Contradictions degrade to one flat node with one warning.
/// \throws std::runtime_error when there is no PU at all, or one (or a node) appears twice.
machine::data read_topology(hwloc_topology_t topology, std::span<const kernel_node> kernel);

/// One flat node with one core for each of \p pus (os ids): what is planned when discovery fails.
machine::data flat_machine(std::span<const std::size_t> pus);

/// Warns of CPUs that a foreign description names but that cannot be used.
void warn_about_left_out(hwloc_topology_t topology, machine::data& data);

/// Makes one node of all nodes and warns that \p reason was why.
void flatten(machine::data& data, const std::string& reason);

}  // namespace nearfork::detail
