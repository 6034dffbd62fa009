/// \file
/// What the Linux kernel itself says about memory nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nearfork::detail {

/// One node as listed in /sys/devices/system/node.
struct kernel_node {
  std::size_t os_id = 0;
  std::vector<std::size_t> cpus;         ///< os ids, ascending; empty for a node of memory alone
  std::vector<std::uint64_t> distances;  ///< to each node, in the list's order; may be empty
};

/// Reads the nodes below \p folder, ascending by id. Empty where the folder tells nothing: kernels
/// without NUMA have none. hwloc gives a node without CPUs the CPUs of a neighbour, and leaves out
/// nodes without memory; only these files say whose CPUs they are.
std::vector<kernel_node> read_kernel_nodes(const std::string& folder);

/// Reads a kernel list such as "0-3,8,10-11"; what cannot be read is left out.
std::vector<std::size_t> parse_cpu_list(const std::string& text);

}  // namespace nearfork::detail
