/// \file
/// Kinds of memory nodes and of cores.
#pragma once

#include <nearfork/detail/machine_data.hpp>
#include <string>
#include <vector>

#include "src/hwloc_handle.hpp"

namespace nearfork::detail {

/// "dram", "hbm", "cxl", "nvm", "gpu" or "unknown", from what hwloc tells about the node.
std::string memory_kind(hwloc_obj_t node);

/// How little a kind of memory is suited as a default: 0 for ordinary memory (and unknown).
int memory_kind_rank(const std::string& kind) noexcept;

/// The kind of the core of each PU, by hwloc's logical index of the PU.
std::vector<core_kind> core_kinds_by_pu(hwloc_topology_t topology);

}  // namespace nearfork::detail
