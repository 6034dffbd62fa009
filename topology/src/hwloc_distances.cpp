#include "src/hwloc_distances.hpp"

#include <hwloc/distances.h>

#include <algorithm>
#include <cstring>

namespace nearfork::detail {
namespace {

struct distances_release {
  hwloc_topology_t topology;
  void operator()(hwloc_distances_s* d) const noexcept { hwloc_distances_release(topology, d); }
};
using distances_ptr = std::unique_ptr<hwloc_distances_s, distances_release>;

std::vector<distances_ptr> latency_matrices(hwloc_topology_t topology) {
  unsigned count = 0;
  std::vector<distances_ptr> result;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, nullptr,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0) {
    return result;
  }
  std::vector<hwloc_distances_s*> raw(count);
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, raw.data(),
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0) {
    return result;
  }
  raw.resize(std::min<std::size_t>(count, raw.size()));
  // The operating system's own first, where several are there.
  const auto append = [&](bool from_os) {
    for (hwloc_distances_s* d : raw) {
      if (((d->kind & HWLOC_DISTANCES_KIND_FROM_OS) != 0) == from_os) {
        result.emplace_back(d, distances_release{topology});
      }
    }
  };
  append(true);
  append(false);
  return result;
}

std::optional<distance_matrix> extract(const hwloc_distances_s& d,
                                       const std::vector<hwloc_obj_t>& nodes) {
  std::vector<std::size_t> position;
  for (const hwloc_obj_t node : nodes) {
    const auto* const found = std::find(d.objs, d.objs + d.nbobjs, node);
    if (found == d.objs + d.nbobjs) return std::nullopt;
    position.push_back(static_cast<std::size_t>(found - d.objs));
  }
  distance_matrix matrix(nodes.size(), std::vector<std::uint64_t>(nodes.size()));
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    for (std::size_t to = 0; to < nodes.size(); ++to) {
      matrix[from][to] = d.values[position[from] * d.nbobjs + position[to]];
    }
  }
  return matrix;
}

// Nothing is nearer to a node than itself.
bool consistent(const distance_matrix& matrix) {
  for (std::size_t from = 0; from < matrix.size(); ++from) {
    for (std::size_t to = 0; to < matrix.size(); ++to) {
      if (to != from && matrix[from][to] < matrix[from][from]) return false;
    }
  }
  return true;
}

}  // namespace

hwloc_obj_t cpu_side(hwloc_obj_t object) noexcept {
  while (object != nullptr && object->depth < 0) object = object->parent;
  return object;
}

std::optional<distance_matrix> latency_distances(hwloc_topology_t topology,
                                                 const std::vector<hwloc_obj_t>& nodes,
                                                 std::string& warning) {
  for (const distances_ptr& d : latency_matrices(topology)) {
    std::optional<distance_matrix> matrix = extract(*d, nodes);
    if (!matrix) continue;
    if (consistent(*matrix)) return matrix;
    warning =
        "the latency matrix contradicts itself (a node is farther from itself than from another): "
        "distances are taken from the tree of caches and packages instead";
  }
  return std::nullopt;
}

distance_matrix tree_distances(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& nodes) {
  const std::size_t n = nodes.size();
  std::vector<std::vector<int>> depth(n, std::vector<int>(n, 0));
  std::vector<int> depths;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      depth[a][b] =
          hwloc_get_common_ancestor_obj(topology, cpu_side(nodes[a]), cpu_side(nodes[b]))->depth;
      depths.push_back(depth[a][b]);
    }
  }
  std::sort(depths.begin(), depths.end(), std::greater<>());
  depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
  distance_matrix matrix(n, std::vector<std::uint64_t>(n, 10));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const auto rank = std::find(depths.begin(), depths.end(), depth[a][b]) - depths.begin();
      matrix[a][b] = 20 + 10 * static_cast<std::uint64_t>(rank);
    }
  }
  return matrix;
}

}  // namespace nearfork::detail
