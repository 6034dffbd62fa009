/// \file
/// The machine as plain data: what discovery writes and placement reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/machine.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nearfork::detail {

/// What a core is on a hybrid machine; `uniform` where all cores are alike.
enum class core_kind : std::uint8_t { uniform, performance, efficient };

/// One hardware thread.
struct pu_data {
  std::size_t os_id = 0;
  std::size_t core = 0;  ///< dense index
  bool allowed = true;   ///< this process may run here
};

/// One core. All its hardware threads belong to one memory node.
struct core_data {
  std::vector<std::size_t> pus;  ///< dense indices, in hwloc's order
  std::size_t cache = 0;         ///< dense index of its cache group
  std::size_t node = 0;          ///< dense index of the memory node it works from
  std::size_t package = 0;       ///< dense index
  core_kind kind = core_kind::uniform;
  bool remote_memory = false;  ///< has no local node; `node` is the nearest one
};

/// Cores that share a last-level cache (or a cluster inside it) and a memory node.
struct cache_data {
  std::vector<std::size_t> cores;  ///< dense indices, ascending
  std::string label;               ///< "L3", "L2", "cluster", or "core" where nothing is shared
  std::uint64_t bytes = 0;         ///< 0: unknown
};

/// One memory node.
struct node_data {
  std::size_t os_id = 0;
  std::uint64_t memory_bytes = 0;
  std::string kind;                ///< as node_place::kind
  std::vector<std::size_t> cores;  ///< dense indices of the cores that work from it, ascending
};

}  // namespace nearfork::detail

namespace nearfork {

/// Indices inside are dense and in hwloc's logical order; operating-system ids stand in `os_id`
/// fields only.
struct machine::data {
  std::string source;    ///< "native", a file name or the synthetic string
  bool foreign = false;  ///< not the machine this process runs on
  std::vector<detail::pu_data> pus;
  std::vector<detail::core_data> cores;
  std::vector<detail::cache_data> caches;
  std::vector<detail::node_data> nodes;  ///< never empty
  std::size_t packages = 1;
  /// Rows: from, columns: to, both as `nodes`. Never empty.
  std::vector<std::vector<std::uint64_t>> distances;
  bool latency_matrix = false;  ///< distances are hwloc's latencies, else derived from the tree
  std::optional<double> quota;  ///< CPUs of the smallest cgroup quota above this process
  std::string quota_source;     ///< the file that quota was read from
  std::vector<std::string> warnings;
};

}  // namespace nearfork
