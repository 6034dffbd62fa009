/// \file
/// Loading of hwloc topologies, filtered to what placement needs.
#pragma once

#include <string>

#include "src/hwloc_handle.hpp"

namespace nearfork::detail {

/// The machine this process runs on, or what hwloc's own environment variables put in its place.
/// \throws std::runtime_error with hwloc's reason.
topology_ptr load_native_topology();

/// The machine described by an XML document. \throws std::runtime_error.
topology_ptr load_xml_topology(const std::string& document);

/// The machine described by an hwloc synthetic string. \throws std::runtime_error.
topology_ptr load_synthetic_topology(const std::string& description);

}  // namespace nearfork::detail
