#include "src/hwloc_load.hpp"

#include <climits>
#include <cstring>
#include <stdexcept>

namespace nearfork::detail {
namespace {

void check(int result, const char* step) {
  if (result == 0) return;
  throw std::runtime_error(std::string(step) + " failed: " + std::strerror(errno));
}

topology_ptr make_topology() {
  hwloc_topology_t raw = nullptr;
  check(hwloc_topology_init(&raw), "hwloc_topology_init");
  topology_ptr topology(raw);
  // Only what placement reads: loading is slow on big machines, and each rank of a job loads. The
  // filters come before the input is set.
  check(hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE), "hwloc type filter");
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE, HWLOC_OBJ_DIE}) {
    check(hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL),
          "hwloc type filter");
  }
  check(hwloc_topology_set_type_filter(raw, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE),
        "hwloc type filter");
  return topology;
}

}  // namespace

topology_ptr load_native_topology() {
  topology_ptr topology = make_topology();
  // Without this flag hwloc may bind the calling thread to each CPU in turn to ask it about
  // itself: slow with many ranks, and the caller's mask is not ours to change. On Linux sysfs
  // tells the same.
  unsigned long flags = 0;
#if HWLOC_API_VERSION >= 0x00020500
  flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
  check(hwloc_topology_set_flags(topology.get(), flags), "hwloc_topology_set_flags");
  check(hwloc_topology_load(topology.get()), "hwloc_topology_load");
  return topology;
}

topology_ptr load_xml_topology(const std::string& document) {
  if (document.size() >= INT_MAX) throw std::runtime_error("the XML document is too long");
  topology_ptr topology = make_topology();
  // hwloc counts the terminating zero.
  if (hwloc_topology_set_xmlbuffer(topology.get(), document.c_str(),
                                   static_cast<int>(document.size() + 1)) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    throw std::runtime_error("it is not an hwloc XML document, or damaged");
  }
  return topology;
}

topology_ptr load_synthetic_topology(const std::string& description) {
  topology_ptr topology = make_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    throw std::runtime_error("hwloc does not understand it");
  }
  return topology;
}

}  // namespace nearfork::detail
