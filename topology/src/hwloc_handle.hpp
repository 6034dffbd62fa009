/// \file
/// Ownership of hwloc's objects.
#pragma once

#include <hwloc.h>

#include <memory>

namespace nearfork::detail {

struct topology_deleter {
  void operator()(hwloc_topology_t t) const noexcept { hwloc_topology_destroy(t); }
};
/// An hwloc topology that is destroyed with its owner.
using topology_ptr = std::unique_ptr<hwloc_topology, topology_deleter>;

}  // namespace nearfork::detail
