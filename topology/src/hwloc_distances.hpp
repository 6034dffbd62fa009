/// \file
/// Distances between memory nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/hwloc_handle.hpp"

namespace nearfork::detail {

using distance_matrix = std::vector<std::vector<std::uint64_t>>;

/// hwloc's latency matrix between these nodes (rows: from); nothing where there is none that has
/// them all. A matrix that contradicts itself is left out, with the reason in \p warning.
std::optional<distance_matrix> latency_distances(hwloc_topology_t topology,
                                                 const std::vector<hwloc_obj_t>& nodes,
                                                 std::string& warning);

/// Distances by position in the tree: 10 to itself, then 20, 30, ... the higher the nearest common
/// ancestor.
distance_matrix tree_distances(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& nodes);

/// The object of the CPU tree that a memory object hangs on; the object itself if it is in it.
hwloc_obj_t cpu_side(hwloc_obj_t object) noexcept;

}  // namespace nearfork::detail
