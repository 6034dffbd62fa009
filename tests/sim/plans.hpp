/// \file
/// Machines for the simulator's tests.
#pragma once

#include <cstdint>
#include <nearfork/machine.hpp>
#include <nearfork/placement.hpp>
#include <string>
#include <vector>

#include "layout.hpp"

namespace sim_test {

/// One worker on each of three nodes; node 1 is at twice, node 2 at three times the local distance
/// from node 0, and both are at 2.5 times from each other.
inline nearfork::placement three_nodes() {
  nearfork::placement plan;
  plan.source = "three nodes";
  plan.nodes.resize(3);
  plan.worker_nodes = 3;
  plan.distances = {{10, 20, 30}, {20, 10, 25}, {30, 25, 10}};
  plan.latency_matrix = true;
  plan.workers.resize(3);
  for (std::size_t w = 0; w < 3; ++w) {
    plan.workers[w].id = w;
    plan.workers[w].node = w;
  }
  plan.victims.resize(3);
  plan.victims[0].remote = {{1}, {2}};
  plan.victims[1].remote = {{0}, {2}};
  plan.victims[2].remote = {{1}, {0}};
  return plan;
}

/// The first two of them alone.
inline nearfork::placement two_nodes() {
  nearfork::placement plan = three_nodes();
  plan.workers.pop_back();
  plan.victims.assign(2, {});
  plan.victims[0].remote = {{1}};
  plan.victims[1].remote = {{0}};
  return plan;
}

/// The plan for a file or synthetic string; 0 workers: one a core.
inline nearfork::placement plan_of(const std::string& source, std::size_t workers = 0) {
  nearfork::plan_options options;
  options.workers = workers;
  return nearfork::make_placement(nearfork::machine::from(source), options);
}

}  // namespace sim_test
