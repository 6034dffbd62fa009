#include "src/rings.hpp"

#include <algorithm>
#include <tuple>

namespace nearfork::detail {
namespace {

// The nodes other than `from` that have workers, grouped by rising distance from it.
std::vector<std::vector<node_index>> nodes_by_distance(
    const placement& plan, node_index from, const std::vector<std::vector<worker_index>>& workers) {
  std::vector<node_index> others;
  for (node_index n = 0; n < workers.size(); ++n) {
    if (n != from && !workers[n].empty()) others.push_back(n);
  }
  const std::vector<std::uint64_t>& row = plan.distances[from];
  std::sort(others.begin(), others.end(), [&row](node_index a, node_index b) {
    return std::tie(row[a], a) < std::tie(row[b], b);
  });
  std::vector<std::vector<node_index>> groups;
  for (const node_index n : others) {
    if (groups.empty() || row[groups.back().front()] != row[n]) groups.emplace_back();
    groups.back().push_back(n);
  }
  return groups;
}

}  // namespace

std::vector<victim_rings> make_rings(const placement& plan) {
  std::vector<std::vector<worker_index>> workers(plan.nodes.size());
  for (const worker_place& w : plan.workers) workers[w.node].push_back(w.id);

  std::vector<std::vector<std::vector<node_index>>> groups(plan.nodes.size());
  for (node_index n = 0; n < plan.nodes.size(); ++n) {
    if (!workers[n].empty()) groups[n] = nodes_by_distance(plan, n, workers);
  }

  std::vector<victim_rings> rings(plan.workers.size());
  for (const worker_place& w : plan.workers) {
    victim_rings& ring = rings[w.id];
    for (const worker_index other : workers[w.node]) {
      const worker_place& o = plan.workers[other];
      if (other == w.id) continue;
      (o.core == w.core ? ring.smt : o.cache == w.cache ? ring.cache : ring.node).push_back(other);
    }
    for (const std::vector<node_index>& group : groups[w.node]) {
      std::vector<worker_index> far;
      for (const node_index n : group) far.insert(far.end(), workers[n].begin(), workers[n].end());
      std::sort(far.begin(), far.end());
      ring.remote.push_back(std::move(far));
    }
  }
  return rings;
}

}  // namespace nearfork::detail
