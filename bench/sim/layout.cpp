#include "layout.hpp"

#include <algorithm>
#include <nearfork/placement.hpp>
#include <numeric>

namespace nearfork::sim {
namespace {

void index_groups(layout& l) {
  l.group_of.assign(l.workers(), {});
  for (std::size_t thief = 0; thief < l.workers(); ++thief) {
    auto& of = l.group_of[thief];
    of.assign(l.workers(), 0);
    for (std::size_t g = 0; g < l.victims[thief].size(); ++g) {
      for (const auto victim : l.victims[thief][g].members)
        of[victim] = static_cast<std::uint16_t>(g);
    }
  }
}

void add_group(std::vector<victim_group>& groups, ring where, double scale,
               const std::vector<worker_index>& members) {
  if (members.empty()) return;
  victim_group g{where, scale, {}};
  for (const worker_index w : members) g.members.push_back(static_cast<std::uint32_t>(w));
  groups.push_back(std::move(g));
}

// The matrix as the plan has it, or nothing where it cannot be used as distances.
bool usable(const std::vector<std::vector<std::uint64_t>>& d, std::size_t nodes) {
  if (d.size() < nodes) return false;
  for (std::size_t i = 0; i < nodes; ++i) {
    if (d[i].size() < nodes || std::find(d[i].begin(), d[i].end(), 0U) != d[i].end()) return false;
  }
  return true;
}

}  // namespace

std::string_view to_string(ring r) noexcept {
  switch (r) {
    case ring::smt:
      return "smt";
    case ring::cache:
      return "cache";
    case ring::node:
      return "node";
    case ring::remote:
      return "remote";
  }
  return "?";
}

layout flat_layout(std::size_t workers) {
  layout l;
  l.source = "flat";
  l.node_of.assign(workers, 0);
  l.occupied = {0};
  l.excess = {{0.0}};
  l.victims.resize(workers);
  std::vector<worker_index> others(workers - 1);
  for (std::size_t thief = 0; thief < workers; ++thief) {
    std::iota(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(thief), std::size_t{0});
    std::iota(others.begin() + static_cast<std::ptrdiff_t>(thief), others.end(), thief + 1);
    add_group(l.victims[thief], ring::node, 1, others);
  }
  index_groups(l);
  return l;
}

layout layout_of(const placement& plan) {
  layout l;
  l.source = plan.source;
  l.machine = true;
  l.nodes = std::max<std::size_t>(plan.nodes.size(), 1);
  for (const auto& w : plan.workers) l.node_of.push_back(static_cast<std::uint32_t>(w.node));
  l.occupied = l.node_of;
  std::sort(l.occupied.begin(), l.occupied.end());
  l.occupied.erase(std::unique(l.occupied.begin(), l.occupied.end()), l.occupied.end());

  // Steps in the tree say who is farther, but not by how much.
  const bool known = plan.latency_matrix && usable(plan.distances, l.nodes);
  l.excess.assign(l.nodes, std::vector<double>(l.nodes, 1));
  for (std::size_t a = 0; a < l.nodes; ++a) {
    for (std::size_t b = 0; b < l.nodes && known; ++b) {
      const double ratio =
          static_cast<double>(plan.distances[a][b]) / static_cast<double>(plan.distances[a][a]);
      l.excess[a][b] = std::max(0.0, ratio - 1);
    }
    l.excess[a][a] = 0;
  }
  double nearest = 0;  // the smallest distance between two nodes that have workers
  for (const auto a : l.occupied) {
    for (const auto b : l.occupied) {
      if (!known || a == b) continue;
      const auto d = static_cast<double>(plan.distances[a][b]);
      nearest = nearest == 0 ? d : std::min(nearest, d);
    }
  }

  l.victims.resize(l.workers());
  for (std::size_t thief = 0; thief < l.workers(); ++thief) {
    const victim_rings& rings = plan.victims[thief];
    add_group(l.victims[thief], ring::smt, 1, rings.smt);
    add_group(l.victims[thief], ring::cache, 1, rings.cache);
    add_group(l.victims[thief], ring::node, 1, rings.node);
    for (const auto& group : rings.remote) {
      if (group.empty()) continue;
      double scale = 1;
      if (nearest > 0) {
        const auto to = plan.workers[group.front()].node;
        scale = static_cast<double>(plan.distances[plan.workers[thief].node][to]) / nearest;
      }
      add_group(l.victims[thief], ring::remote, std::max(scale, 1.0), group);
    }
  }
  index_groups(l);
  return l;
}

}  // namespace nearfork::sim
