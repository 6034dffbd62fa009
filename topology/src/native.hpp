/// \file
/// Discovery of the machine this process runs on, with its sources replaceable.
#pragma once

#include <functional>
#include <nearfork/detail/machine_data.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/cgroup.hpp"
#include "src/hwloc_handle.hpp"

namespace nearfork::detail {

/// Where native discovery looks. Tests put other machines, masks and quotas in its place.
struct native_sources {
  std::function<topology_ptr()> load;  ///< empty: load_native_topology
  std::string kernel_nodes = "/sys/devices/system/node";
  std::string kernel_cpus = "/sys/devices/system/cpu";
  std::optional<std::vector<std::size_t>> affinity;  ///< empty: the calling thread's
  cgroup_files cgroup;
  bool is_this_system = true;  ///< believe a test's topology to be this machine
};

/// What hwloc and the kernel say, whole: without mask and quota. Never throws but for memory:
/// when discovery fails it is flat and has a warning that says why.
machine::data discover(const native_sources& sources);

/// Cuts \p data to the calling thread's mask and notes quota and batch-system warnings.
void apply_limits(machine::data& data, const native_sources& sources);

}  // namespace nearfork::detail
