#include "src/hwloc_read.hpp"

#include <strings.h>

#include <algorithm>
#include <map>
#include <nearfork/detail/cpu_list.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "src/hwloc_distances.hpp"
#include "src/hwloc_kinds.hpp"

namespace nearfork::detail {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> result;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;) {
    result.push_back(o);
  }
  return result;
}

bool is_subtype(hwloc_obj_t object, const char* name) {
  return object->subtype != nullptr && strcasecmp(object->subtype, name) == 0;
}

int cores_below(hwloc_topology_t topology, hwloc_obj_t object) {
  const int cores =
      hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
  return cores > 0 ? cores
                   : hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_PU);
}

// The cluster or last-level cache that a core shares with others: a cluster lies inside an L3; a
// memory-side cache is part of the memory, not of the cores; L2 counts where there is no L3.
hwloc_obj_t shared_cache(hwloc_topology_t topology, hwloc_obj_t core) {
  hwloc_obj_t cluster = nullptr;
  hwloc_obj_t l3 = nullptr;
  hwloc_obj_t l2 = nullptr;
  for (hwloc_obj_t o = core; o != nullptr; o = o->parent) {
    if (o->type == HWLOC_OBJ_GROUP && is_subtype(o, "Cluster") && cluster == nullptr) cluster = o;
    if (is_subtype(o, "MemorySideCache")) continue;
    if (o->type == HWLOC_OBJ_L3CACHE && l3 == nullptr) l3 = o;
    if (o->type == HWLOC_OBJ_L2CACHE && l2 == nullptr) l2 = o;
  }
  if (cluster != nullptr && cores_below(topology, cluster) > 1) return cluster;
  if (l3 != nullptr) return l3;
  if (l2 != nullptr) return l2;
  return core;
}

std::string cache_label(hwloc_obj_t object) {
  switch (object->type) {
    case HWLOC_OBJ_GROUP:
      return "cluster";
    case HWLOC_OBJ_L3CACHE:
      return "L3";
    case HWLOC_OBJ_L2CACHE:
      return "L2";
    default:
      return "core";
  }
}

bool is_alone(hwloc_const_bitmap_t set, unsigned bit) {
  return hwloc_bitmap_weight(set) == 1 && hwloc_bitmap_isset(set, bit) != 0;
}

class reader {
 public:
  reader(hwloc_topology_t topology, std::span<const kernel_node> kernel)
      : topology_(topology), kernel_(kernel) {}

  machine::data read() {
    read_nodes();
    read_cores();
    read_distances();
    assign_nodes();
    assign_caches();
    // Ordinary memory next to CPUs is what firmware gives no name.
    for (node_data& node : data_.nodes) {
      if (node.kind == "unknown" && !node.cores.empty()) node.kind = "dram";
    }
    if (!contradiction_.empty()) flatten(data_, contradiction_);
    return std::move(data_);
  }

 private:
  void read_nodes() {
    node_objects_ = objects(topology_, HWLOC_OBJ_NUMANODE);
    for (const hwloc_obj_t object : node_objects_) {
      if (index_of(object->os_index) != none) {
        throw std::runtime_error("memory node " + std::to_string(object->os_index) +
                                 " is described twice");
      }
      node_data node;
      node.os_id = object->os_index;
      node.memory_bytes = object->attr->numanode.local_memory;
      node.kind = memory_kind(object);
      data_.nodes.push_back(std::move(node));
    }
    if (node_objects_.empty()) throw std::runtime_error("hwloc shows no memory node");
  }

  void read_cores() {
    const std::vector<hwloc_obj_t> pus = objects(topology_, HWLOC_OBJ_PU);
    if (pus.empty()) throw std::runtime_error("hwloc shows no CPU");
    const std::vector<core_kind> kinds = core_kinds_by_pu(topology_);
    const hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(topology_);
    std::map<hwloc_obj_t, std::size_t> packages;
    std::set<std::size_t> seen;
    for (const hwloc_obj_t pu : pus) {
      // hwloc itself takes documents in which a number was damaged.
      if (!seen.insert(pu->os_index).second || !is_alone(pu->cpuset, pu->os_index)) {
        throw std::runtime_error("CPU " + std::to_string(pu->os_index) +
                                 " is described twice or with other CPUs' sets");
      }
      hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, pu);
      if (core == nullptr) core = pu;  // machines described without cores
      if (core_objects_.empty() || core_objects_.back() != core) {
        core_objects_.push_back(core);
        core_data c;
        c.kind = kinds[pu->logical_index];
        const hwloc_obj_t package =
            hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, pu);
        c.package = packages.try_emplace(package, packages.size()).first->second;
        data_.cores.push_back(std::move(c));
      }
      data_.cores.back().pus.push_back(data_.pus.size());
      data_.pus.push_back(
          {pu->os_index, data_.cores.size() - 1, hwloc_bitmap_isset(allowed, pu->os_index) != 0});
    }
    data_.packages = packages.size();
  }

  void read_distances() {
    std::string warning;
    std::optional<distance_matrix> latency = latency_distances(topology_, node_objects_, warning);
    if (!warning.empty()) data_.warnings.push_back(warning);
    data_.latency_matrix = latency.has_value();
    data_.distances = latency ? std::move(*latency) : tree_distances(topology_, node_objects_);
  }

  void assign_nodes() {
    for (std::size_t c = 0; c < data_.cores.size(); ++c) {
      core_data& core = data_.cores[c];
      core.node = none;
      for (const std::size_t p : core.pus) {
        bool local = true;
        const std::size_t node = node_of(data_.pus[p].os_id, core_objects_[c], local);
        if (core.node == none) {
          core.node = node;
          core.remote_memory = !local;
        } else if (core.node != node) {
          contradiction_ = "the hardware threads of one core are said to be on different nodes";
        }
      }
      data_.nodes[core.node].cores.push_back(c);
    }
  }

  std::size_t node_of(std::size_t cpu, hwloc_obj_t core, bool& local) {
    for (const kernel_node& node : kernel_) {
      if (!std::binary_search(node.cpus.begin(), node.cpus.end(), cpu)) continue;
      const std::size_t found = index_of(node.os_id);
      if (found == none) {
        local = false;
        return nearest_to(node, core);
      }
      if (!contains(found, cpu)) {
        contradiction_ = "kernel and hwloc disagree about the CPUs of a node";
      }
      return found;
    }
    // No word from the kernel: the node must be guessed from the tree. Several nodes may have
    // these CPUs; ordinary memory goes first, then the closest fit, then the lower id, since nodes
    // of memory alone come last.
    std::size_t best = none;
    for (std::size_t n = 0; n < node_objects_.size(); ++n) {
      if (contains(n, cpu) && (best == none || rank(n) < rank(best))) best = n;
    }
    local = best != none;
    return local ? best : nearest_in_tree(core);
  }

  std::tuple<int, int, std::size_t> rank(std::size_t n) const {
    return {memory_kind_rank(data_.nodes[n].kind), hwloc_bitmap_weight(node_objects_[n]->cpuset),
            data_.nodes[n].os_id};
  }

  bool contains(std::size_t n, std::size_t cpu) const {
    return hwloc_bitmap_isset(node_objects_[n]->cpuset, static_cast<unsigned>(cpu)) != 0;
  }

  std::size_t index_of(std::size_t node_os_id) const {
    for (std::size_t n = 0; n < data_.nodes.size(); ++n) {
      if (data_.nodes[n].os_id == node_os_id) return n;
    }
    return none;
  }

  // The nearest node with memory to a node that has none, by the kernel's distances.
  std::size_t nearest_to(const kernel_node& node, hwloc_obj_t core) const {
    std::size_t best = none;
    std::pair<std::uint64_t, int> best_key;
    for (std::size_t k = 0; k < node.distances.size(); ++k) {
      const std::size_t n = index_of(kernel_[k].os_id);
      if (n == none) continue;
      const std::pair<std::uint64_t, int> key{node.distances[k],
                                              memory_kind_rank(data_.nodes[n].kind)};
      if (best == none || key < best_key) {
        best = n;
        best_key = key;
      }
    }
    return best == none ? nearest_in_tree(core) : best;
  }

  std::size_t nearest_in_tree(hwloc_obj_t core) const {
    std::size_t best = 0;
    std::tuple<int, int, std::size_t> best_key;
    for (std::size_t n = 0; n < node_objects_.size(); ++n) {
      const hwloc_obj_t common =
          hwloc_get_common_ancestor_obj(topology_, core, cpu_side(node_objects_[n]));
      const std::tuple<int, int, std::size_t> key{
          -common->depth, memory_kind_rank(data_.nodes[n].kind), data_.nodes[n].os_id};
      if (n == 0 || key < best_key) {
        best = n;
        best_key = key;
      }
    }
    return best;
  }

  // A cache that spans nodes is cut at their borders: who shares a cache must also share a node,
  // so that the rings around a worker only ever grow in distance.
  void assign_caches() {
    std::map<std::pair<hwloc_obj_t, std::size_t>, std::size_t> groups;
    for (std::size_t c = 0; c < data_.cores.size(); ++c) {
      core_data& core = data_.cores[c];
      const hwloc_obj_t object = shared_cache(topology_, core_objects_[c]);
      const auto [it, added] = groups.try_emplace({object, core.node}, data_.caches.size());
      if (added) {
        cache_data cache;
        cache.label = cache_label(object);
        if (hwloc_obj_type_is_cache(object->type) != 0) cache.bytes = object->attr->cache.size;
        data_.caches.push_back(std::move(cache));
      }
      core.cache = it->second;
      data_.caches[core.cache].cores.push_back(c);
    }
  }

  hwloc_topology_t topology_;
  std::span<const kernel_node> kernel_;
  machine::data data_;
  std::vector<hwloc_obj_t> node_objects_;  // as data_.nodes
  std::vector<hwloc_obj_t> core_objects_;  // as data_.cores; a PU where there are no cores
  std::string contradiction_;
};

}  // namespace

machine::data read_topology(hwloc_topology_t topology, std::span<const kernel_node> kernel) {
  return reader(topology, kernel).read();
}

machine::data flat_machine(std::span<const std::size_t> pus) {
  machine::data data;
  node_data node;
  node.kind = "unknown";
  for (const std::size_t os_id : pus) {
    const std::size_t index = data.cores.size();
    core_data core;
    core.pus = {index};
    core.cache = index;
    data.cores.push_back(std::move(core));
    data.pus.push_back({os_id, index, true});
    data.caches.push_back({{index}, "core", 0});
    node.cores.push_back(index);
  }
  data.nodes.push_back(std::move(node));
  data.distances = {{10}};
  return data;
}

void warn_about_left_out(hwloc_topology_t topology, machine::data& data) {
  const hwloc_const_bitmap_t used = hwloc_topology_get_topology_cpuset(topology);
  const hwloc_const_bitmap_t all = hwloc_topology_get_complete_cpuset(topology);
  if (hwloc_bitmap_last(all) < 0) return;  // empty, or without an end
  std::vector<std::size_t> left_out;
  for (int cpu = hwloc_bitmap_first(all); cpu >= 0; cpu = hwloc_bitmap_next(all, cpu)) {
    if (hwloc_bitmap_isset(used, static_cast<unsigned>(cpu)) == 0) {
      left_out.push_back(static_cast<std::size_t>(cpu));
    }
  }
  if (left_out.empty()) return;
  data.warnings.push_back("some CPUs of the description are offline or not allowed and not used: " +
                          format_cpu_list(left_out));
}

void flatten(machine::data& data, const std::string& reason) {
  node_data all = data.nodes.front();
  all.memory_bytes = 0;
  all.kind = "unknown";
  all.cores.clear();
  for (const node_data& node : data.nodes) all.memory_bytes += node.memory_bytes;
  for (std::size_t c = 0; c < data.cores.size(); ++c) {
    all.cores.push_back(c);
    data.cores[c].node = 0;
    data.cores[c].remote_memory = false;
  }
  data.nodes = {std::move(all)};
  data.distances = {{10}};
  data.latency_matrix = false;
  data.warnings = {"contradictory firmware data (" + reason +
                   "): the machine is treated as one flat node"};
}

}  // namespace nearfork::detail
