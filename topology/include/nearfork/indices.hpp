/// \file
/// The index types of the public interface.
#pragma once

#include <cstddef>

namespace nearfork {

/// Index of a NUMA node, dense from 0: nodes that have allowed PUs come first, in hwloc's logical
/// order, then nodes with memory alone (HBM, CXL). Operating-system ids appear in plans and JSON.
using node_index = std::size_t;

/// Index of a worker within its pool, dense from 0.
using worker_index = std::size_t;

/// "No such node" or "no such worker".
inline constexpr std::size_t npos = static_cast<std::size_t>(-1);

}  // namespace nearfork
