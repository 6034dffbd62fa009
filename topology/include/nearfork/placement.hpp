/// \file
/// Who sits where and why: the plan of a pool on a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/indices.hpp>
#include <nearfork/policies.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nearfork {

class machine;

/// The most workers that are planned: rings take memory in the square of their number.
inline constexpr std::size_t max_workers = 8192;

/// What a plan is asked for.
struct plan_options {
  std::size_t workers = 0;  ///< 0: one per allowed core (or PU, see smt), capped by the CPU quota
  bind_policy bind = bind_policy::core;
  place_policy place = place_policy::spread;
  smt_policy smt = smt_policy::one_per_core;
  core_kinds kinds = core_kinds::all;
  steal_policy steal = steal_policy::nearest;
};

/// One memory node as the plan sees it.
struct node_place {
  std::size_t os_id = 0;
  std::vector<std::size_t> pus;    ///< os ids of the allowed PUs local to it, ascending
  std::uint64_t memory_bytes = 0;  ///< local memory, 0 where there is none
  std::string kind;                ///< "dram", "hbm", "cxl", "gpu", ... or "unknown"
};

/// The other workers around one worker, nearest first. Each other worker of the plan is in exactly
/// one ring.
struct victim_rings {
  std::vector<worker_index> smt;                  ///< on the same core
  std::vector<worker_index> cache;                ///< sharing the last-level cache or cluster
  std::vector<worker_index> node;                 ///< on the same memory node
  std::vector<std::vector<worker_index>> remote;  ///< other nodes, grouped by rising distance
};

/// One worker's seat.
struct worker_place {
  worker_index id = 0;
  std::size_t pu = 0;                ///< os id of the PU planned for (first of its binding)
  std::size_t core = 0;              ///< dense index of its core in the machine
  std::size_t cache = 0;             ///< dense index of its cache group in the machine
  node_index node = 0;               ///< its memory node
  std::vector<std::size_t> binding;  ///< os ids of the PUs to bind to, ascending; empty: not bound
  std::string reason;                ///< one line: why here
};

/// The whole plan. Plain data; reading it from several threads is safe.
struct placement {
  std::string source;                    ///< "native", a file name or the synthetic string
  bool foreign = false;                  ///< made from a file or string: nothing is bound
  std::vector<std::size_t> allowed_pus;  ///< os ids, ascending
  std::optional<double> quota;           ///< CPUs of the cgroup quota that applied, if any
  std::vector<node_place> nodes;         ///< by node_index; those with PUs first
  std::size_t worker_nodes = 0;          ///< how many of them have allowed PUs
  std::vector<std::vector<std::uint64_t>> distances;  ///< rows (from) and columns (to) as nodes
  bool latency_matrix = false;        ///< distances are firmware latencies, else steps in the tree
  std::vector<worker_place> workers;  ///< by worker_index
  std::vector<victim_rings> victims;  ///< by worker_index
  std::vector<std::string> warnings;  ///< what a user should know, one line each
};

/// Plans workers on \p m. Complexity: O(workers^2) for the rings.
/// \throws config_error when nothing can be placed (no allowed core of the wanted kind, ...)
placement make_placement(const machine& m, const plan_options& options);

}  // namespace nearfork
