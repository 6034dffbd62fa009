/// \file
/// One simulated run of a job graph under work stealing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dag.hpp"
#include "layout.hpp"

namespace nearfork::sim {

/// Simulated time. A step is 1000 ticks, so that penalties may be fractions of a step while times
/// stay whole numbers and a run is the same on every machine.
using ticks = std::uint64_t;
inline constexpr ticks ticks_per_step = 1000;

/// Which end of the victim's deque a thief takes from.
enum class steal_end { oldest, newest };
std::string_view to_string(steal_end e) noexcept;

/// Whom a worker without work tries, one victim an attempt.
enum class victim_policy {
  /// Any other worker, all with the same probability: what the theory is about.
  random,
  /// Rounds of one random victim in each ring, the nearest ring first. A remote victim is taken
  /// from only while it shows many tasks, half as many in every further round: see run_options.
  /// Every ninth round looks at everybody once, so that whoever has work is found.
  nearest,
  /// Every victim of the nearest ring, then every one of the next, and so on: the obvious
  /// nearest-first, kept to show what is wrong with it.
  sweep
};
std::string_view to_string(victim_policy p) noexcept;

/// Where the data of the graph's nodes lies: nowhere in particular, all on the first worker's
/// memory node, in one contiguous block a node (by the nodes' numbers, so by serial order), or
/// dealt out one by one.
enum class home_policy { none, first, block, interleaved };
std::string_view to_string(home_policy p) noexcept;

/// What the simulator is told about the machine beyond its layout.
struct cost_model {
  /// Ticks from the start of an attempt until the stolen task runs, by ring. Remote: to the nearest
  /// other memory node; more in proportion to the distance.
  std::array<ticks, ring_count> steal{ticks_per_step, ticks_per_step, ticks_per_step,
                                      ticks_per_step};
  /// Ticks of an attempt that finds nothing, likewise.
  std::array<ticks, ring_count> miss = steal;
  /// A node of weight w takes w (1 + penalty x) steps where its data is x times the local distance
  /// farther away than local memory: the share of its time that is access to that data.
  double remote_penalty = 0;
};

/// How one run goes.
struct run_options {
  steal_end end = steal_end::oldest;
  victim_policy victims = victim_policy::random;
  /// victim_policy::nearest: how many tasks a remote victim must have in the first round. Few tasks
  /// are small tasks where forks nest: whoever fetched them would soon be back for more.
  std::uint32_t far_tasks = 8;
  std::uint32_t seed = 0;
  home_policy home = home_policy::none;
  cost_model costs{};
};

/// What came out of one run.
struct run_result {
  ticks time = 0;               ///< until the last node's end
  ticks busy = 0;               ///< time of all workers in nodes, penalties included
  std::uint64_t steals = 0;     ///< attempts that got a task
  std::uint64_t attempts = 0;   ///< all attempts begun before the end
  std::uint64_t away_work = 0;  ///< weight of the nodes that ran on another node than their data's
  std::array<std::uint64_t, ring_count> steals_by_ring{};
  std::array<std::uint64_t, ring_count> attempts_by_ring{};
};

/// Runs \p job on the workers of \p where. The model is in this folder's README. Takes time in
/// proportion to nodes plus attempts, times the logarithm of the number of workers; memory of 4
/// bytes a node beside the graph. Deterministic; several threads may simulate at the same time.
/// \throws config_error when a cost is zero or the simulated time leaves 64 bits.
run_result simulate(const dag& job, const layout& where, const run_options& options);

}  // namespace nearfork::sim
