/// \file
/// What the demo prints: the plan, each workload's figures, as text and as JSON.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nearfork/nearfork.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/text.hpp"
#include "demo/workload.hpp"

namespace demo {

inline json machine_json(const nearfork::pool& pool) {
  const nearfork::placement& plan = pool.plan();
  json nodes = json::array(), workers = json::array();
  for (const nearfork::node_place& n : plan.nodes) {
    nodes.push_back(
        {{"id", n.os_id}, {"pus", n.pus}, {"memory_bytes", n.memory_bytes}, {"kind", n.kind}});
  }
  for (const nearfork::worker_place& w : plan.workers) {
    workers.push_back(
        {{"id", w.id}, {"pu", w.pu}, {"node", plan.nodes.at(w.node).os_id}, {"reason", w.reason}});
  }
  return {{"source", plan.source},
          {"allowed_pus", plan.allowed_pus},
          {"quota", plan.quota ? json(*plan.quota) : json(nullptr)},
          {"nodes", nodes},
          {"worker_count", pool.worker_count()},
          {"workers", workers},
          {"warnings", plan.warnings}};
}

/// Machine and workers, a line a node.
inline void print_plan(std::FILE* out, const nearfork::pool& pool) {
  const nearfork::placement& plan = pool.plan();
  fmt::print(out, "machine   {}, PUs {} allowed{}\n", plan.source, common::ranges(plan.allowed_pus),
             plan.quota ? fmt::format(", quota of {} CPUs", *plan.quota) : "");
  for (nearfork::node_index n = 0; n < plan.nodes.size(); ++n) {
    const nearfork::node_place& node = plan.nodes[n];
    std::vector<std::size_t> ids, pus;
    for (const nearfork::worker_place& w : plan.workers) {
      if (w.node == n) {
        ids.push_back(w.id);
        pus.push_back(w.pu);
      }
    }
    std::sort(pus.begin(), pus.end());
    fmt::print(
        out, "node {:<4} {}, {}, {}\n", node.os_id, common::bytes(node.memory_bytes), node.kind,
        ids.empty()
            ? std::string("no workers")
            : fmt::format("worker{} {} on PU{} {}", ids.size() == 1 ? "" : "s", common::ranges(ids),
                          pus.size() == 1 ? "" : "s", common::ranges(pus)));
  }
  for (const std::string& warning : plan.warnings) {
    fmt::print(out, "warning   {}\n", warning);
  }
  fmt::print(out, "\n");
  std::fflush(out);
}

inline json run_json(const std::string& name, std::uint64_t size, const workload& w,
                     const measured& m, std::size_t workers) {
  json steals, attempts;
  for (std::size_t r = 0; r < nearfork::ring_count; ++r) {
    const std::string ring(nearfork::to_string(static_cast<nearfork::ring>(r)));
    steals[ring] = m.statistics.steals[r];
    attempts[ring] = m.statistics.steal_attempts[r];
  }
  json j{{"name", name},           {"correct", m.correct},
         {"size", size},           {"workers", workers},
         {"seconds", m.seconds},   {"serial_seconds", m.serial_seconds},
         {"speedup", m.speedup()}, {"efficiency", m.speedup() / static_cast<double>(workers)},
         {"rounds", m.rounds},     {"tasks", m.statistics.tasks_run},
         {"steals", steals},       {"steal_attempts", attempts}};
  w.describe(m, j);
  return j;
}

inline void print_run(std::FILE* out, const workload& w, const measured& m, std::size_t workers) {
  std::string steals;
  for (std::size_t r = 0; r < nearfork::ring_count; ++r) {
    steals += fmt::format("{}{} {}", steals.empty() ? "" : ", ",
                          nearfork::to_string(static_cast<nearfork::ring>(r)),
                          common::grouped(m.statistics.steals[r]));
  }
  fmt::print(out, "{}\n", w.title());
  fmt::print(out, "  check     {}\n",
             m.correct ? "correct, the same as the serial run" : "WRONG, not as the serial run");
  fmt::print(out, "  result    {}\n", w.summary(m));
  fmt::print(out, "  time      {:.4f} s, serial {:.4f} s (best of {} each)\n", m.seconds,
             m.serial_seconds, m.rounds);
  fmt::print(out, "  speed-up  {:.2f} with {} worker{}, efficiency {:.0f} %\n", m.speedup(),
             workers, workers == 1 ? "" : "s", 100 * m.speedup() / static_cast<double>(workers));
  fmt::print(out, "  tasks     {}\n", common::grouped(m.statistics.tasks_run));
  fmt::print(out, "  steals    {} ({} attempts)\n\n", steals,
             common::grouped(m.statistics.total_attempts()));
  std::fflush(out);
}

}  // namespace demo
