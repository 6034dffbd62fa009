/// \file
/// What the Linux kernel itself says about memory nodes and CPUs.
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

/// The CPUs that are there but switched off one by one, from \p folder (/sys/devices/system/cpu).
/// None where simultaneous multithreading is switched off as a whole: that is meant.
std::vector<std::size_t> read_offline_cpus(const std::string& folder);

}  // namespace nearfork::detail
