#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nearfork/detail/cpu_list.hpp>
#include <nearfork/detail/machine_data.hpp>
#include <vector>

#include "topo_report.hpp"

namespace nearfork::tools {
namespace {

std::string bytes(std::uint64_t count) {
  if (count == 0) return "none known";
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(count);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

using row = std::vector<std::string>;

// Columns aligned to the left, two blanks apart; the last one as long as it is.
std::string table(const std::vector<row>& rows) {
  std::vector<std::size_t> width;
  for (const row& r : rows) {
    width.resize(std::max(width.size(), r.size()));
    for (std::size_t c = 0; c < r.size(); ++c) width[c] = std::max(width[c], r[c].size());
  }
  std::string text;
  for (const row& r : rows) {
    text += "  ";
    for (std::size_t c = 0; c < r.size(); ++c) {
      text += c + 1 == r.size() ? r[c] : fmt::format("{:<{}}  ", r[c], width[c]);
    }
    text += '\n';
  }
  return text;
}

std::string machine_text(const machine::data& data, const placement& plan) {
  std::size_t allowed_cores = 0;
  for (const detail::core_data& core : data.cores) {
    allowed_cores += std::any_of(core.pus.begin(), core.pus.end(),
                                 [&data](std::size_t pu) { return data.pus[pu].allowed; });
  }
  std::string text = fmt::format("machine: {}{}\n", plan.source,
                                 plan.foreign ? " (not this machine: planned whole)" : "");
  text += fmt::format("  {}, {}, {}, {}\n", counted(data.packages, "package", "packages"),
                      counted(data.nodes.size(), "memory node", "memory nodes"),
                      counted(data.cores.size(), "core", "cores"),
                      counted(data.pus.size(), "hardware thread", "hardware threads"));
  text += fmt::format("  allowed: {}, CPUs {}\n", counted(allowed_cores, "core", "cores"),
                      detail::format_cpu_list(plan.allowed_pus));
  text += plan.quota ? fmt::format("  CPU quota: {:g} ({})\n", *plan.quota, data.quota_source)
                     : "  CPU quota: none\n";
  return text;
}

std::string nodes_text(const placement& plan) {
  std::vector<row> rows{{"node", "kind", "memory", "workers", "allowed CPUs"}};
  for (node_index n = 0; n < plan.nodes.size(); ++n) {
    const node_place& node = plan.nodes[n];
    const auto workers =
        std::count_if(plan.workers.begin(), plan.workers.end(),
                      [n](const worker_place& worker) { return worker.node == n; });
    rows.push_back({fmt::to_string(node.os_id), node.kind, bytes(node.memory_bytes),
                    fmt::to_string(workers), detail::format_cpu_list(node.pus)});
  }
  return "memory nodes:\n" + table(rows);
}

std::string distances_text(const placement& plan) {
  if (plan.nodes.size() < 2) return {};
  std::vector<row> rows(1);
  rows[0].emplace_back("from\\to");
  for (const node_place& node : plan.nodes) rows[0].push_back(fmt::to_string(node.os_id));
  for (node_index from = 0; from < plan.nodes.size(); ++from) {
    row r{fmt::to_string(plan.nodes[from].os_id)};
    for (const std::uint64_t distance : plan.distances[from]) r.push_back(fmt::to_string(distance));
    rows.push_back(std::move(r));
  }
  return fmt::format("distances ({}):\n", plan.latency_matrix
                                              ? "firmware's relative latencies"
                                              : "steps in the tree of packages and caches") +
         table(rows);
}

// Groups that look alike share a line.
std::string caches_text(const machine::data& data) {
  struct shape {
    std::string label;
    std::uint64_t size;
    std::size_t cores;
    auto operator<=>(const shape&) const = default;
  };
  std::map<shape, std::vector<std::size_t>> groups;
  for (std::size_t c = 0; c < data.caches.size(); ++c) {
    const detail::cache_data& cache = data.caches[c];
    groups[{cache.label, cache.bytes, cache.cores.size()}].push_back(c);
  }
  std::vector<row> rows{{"cache groups", "shared", "size", "cores in each"}};
  for (const auto& [shape, ids] : groups) {
    rows.push_back({detail::format_cpu_list(ids), shape.label == "core" ? "nothing" : shape.label,
                    shape.size == 0 ? "-" : bytes(shape.size), fmt::to_string(shape.cores)});
  }
  return "caches shared by cores:\n" + table(rows);
}

std::string workers_text(const plan_options& options, const placement& plan) {
  std::string text =
      fmt::format("plan: {} (bind {}, place {}, smt {}, kinds {}, steal {})\n",
                  counted(plan.workers.size(), "worker", "workers"), to_string(options.bind),
                  to_string(options.place), to_string(options.smt), to_string(options.kinds),
                  to_string(options.steal));
  std::vector<row> rows{{"worker", "CPU", "core", "cache", "node",
                         plan.foreign ? "would bind" : "bound to", "victims smt/cache/node/remote",
                         "why"}};
  for (const worker_place& w : plan.workers) {
    const victim_rings& rings = plan.victims[w.id];
    std::vector<std::size_t> remote;
    for (const auto& group : rings.remote) remote.push_back(group.size());
    rows.push_back(
        {fmt::to_string(w.id), fmt::to_string(w.pu), fmt::to_string(w.core),
         fmt::to_string(w.cache), fmt::to_string(plan.nodes[w.node].os_id),
         w.binding.empty() ? "nothing" : detail::format_cpu_list(w.binding),
         fmt::format("{}/{}/{}/{}", rings.smt.size(), rings.cache.size(), rings.node.size(),
                     remote.empty() ? "0" : fmt::format("{}", fmt::join(remote, "+"))),
         w.reason});
  }
  return text + table(rows);
}

}  // namespace

std::string plan_as_text(const machine& m, const plan_options& options, const placement& plan) {
  const machine::data& data = m.get();
  std::string text = machine_text(data, plan);
  text += nodes_text(plan);
  text += distances_text(plan);
  text += caches_text(data);
  text += workers_text(options, plan);
  for (const std::string& warning : plan.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace nearfork::tools
