/// \file
/// Runs repeated over seeds, and their averages beside the theory's bounds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate.hpp"

namespace nearfork::sim {

/// Averages over seeds 0, 1, ... for one number of workers; times in steps.
struct measurement {
  std::size_t workers = 0;
  std::size_t nodes = 0;  ///< memory nodes that have a worker
  double time = 0;
  double shortest = 0;
  double longest = 0;
  double steals = 0;
  double attempts = 0;
  std::array<double, ring_count> steals_by_ring{};
  std::array<double, ring_count> attempts_by_ring{};
  double busy = 0;        ///< time of all workers in nodes, in steps
  double away_share = 0;  ///< share of the work that ran away from its data
  double work = 0;        ///< of the graph, in steps
  double span = 0;

  /// work / time. 0 for a job that takes no time, as for the others below.
  double speedup() const noexcept;
  /// Speed-up a worker.
  double efficiency() const noexcept;
  /// No schedule is faster: the larger of work / workers and span.
  double lower_bound() const noexcept;
  /// work / workers + span: a greedy schedule is at most as long.
  double greedy_bound() const noexcept;
  /// c in time = work / workers + c span.
  double span_factor() const noexcept;
  /// Remote steals / steals.
  double remote_share() const noexcept;
  double remote_steals() const noexcept;
  /// steals / (workers span): what the theory holds bounded.
  double steals_per_worker_span() const noexcept;
};

/// Runs \p job with seeds 0 to \p seeds - 1 (options.seed is ignored); \p seeds is at least 1.
measurement measure(const dag& job, const layout& where, run_options options, unsigned seeds);

/// Everything that a report says about one series of runs.
struct series {
  std::string graph;   ///< "fib(20)"
  std::string source;  ///< the machine's file or string, or "flat"
  bool machine = false;
  unsigned seeds = 0;
  run_options options;
  std::uint64_t work = 0;
  std::uint64_t span = 0;
  std::vector<measurement> runs;
  std::vector<std::string> warnings;  ///< of the plans
};

/// A policy for victims beside random ones on one machine, all else the same.
struct comparison {
  std::string source;
  measurement random;
  measurement candidate;
  std::vector<std::string> warnings;

  bool several_nodes() const noexcept { return random.nodes > 1; }
  /// Remote steals, candidate / random; 0 when there are none at all.
  double remote_ratio() const noexcept;
  /// Predicted time, candidate / random.
  double time_ratio() const noexcept;
  /// At least halves remote steals at no more than 3 % longer predicted time.
  bool holds() const noexcept { return remote_ratio() <= 0.5 && time_ratio() <= 1.03; }
};

}  // namespace nearfork::sim
