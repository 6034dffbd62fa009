#include "dag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nearfork/error.hpp>

namespace nearfork::sim {

dag::node dag_builder::add(std::uint64_t weight) {
  if (count_ >= max_nodes) {
    throw config_error(fmt::format("job graph: more than {} nodes", max_nodes));
  }
  if (count_ == 0) uniform_ = weight;
  if (!weights_.empty() || weight != uniform_) {
    weights_.resize(count_, uniform_);
    weights_.push_back(weight);
  }
  return static_cast<dag::node>(count_++);
}

void dag_builder::edge(dag::node from, dag::node to) {
  if (from >= count_ || to >= count_) {
    throw config_error(
        fmt::format("job graph: edge {} -> {} names a node that does not exist; the "
                    "graph has nodes 0 to {}",
                    from, to, count_ == 0 ? 0 : count_ - 1));
  }
  if (edges_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw config_error("job graph: too many edges");
  }
  edges_.emplace_back(from, to);
}

dag dag_builder::build() && {
  if (count_ == 0) throw config_error("job graph: it has no nodes");
  dag g;
  g.uniform_ = uniform_;
  g.weights_ = std::move(weights_);

  // Counting sort by source; stable, so that successors keep their order.
  g.first_.assign(count_ + 1, 0);
  g.predecessors_.assign(count_, 0);
  for (const auto& [from, to] : edges_) {
    ++g.first_[from + 1];
    ++g.predecessors_[to];
  }
  for (std::size_t v = 0; v < count_; ++v) g.first_[v + 1] += g.first_[v];
  g.targets_.resize(edges_.size());
  std::vector<std::uint32_t> next(g.first_.begin(), g.first_.end() - 1);
  for (const auto& [from, to] : edges_) g.targets_[next[from]++] = to;
  edges_ = {};

  const auto roots = std::count(g.predecessors_.begin(), g.predecessors_.end(), 0U);
  if (roots != 1) {
    throw config_error(fmt::format(
        "job graph: {} nodes have no predecessor; exactly one, where the job starts, is needed",
        roots));
  }
  g.root_ = static_cast<dag::node>(std::find(g.predecessors_.begin(), g.predecessors_.end(), 0U) -
                                   g.predecessors_.begin());

  // Topological order with the time at which each node can end at the earliest.
  std::vector<std::uint32_t> pending = g.predecessors_;
  std::vector<std::uint64_t> earliest(count_, 0);
  std::vector<dag::node> ready{g.root_};
  std::size_t seen = 0;
  while (!ready.empty()) {
    const dag::node v = ready.back();
    ready.pop_back();
    ++seen;
    if (g.weight(v) > std::numeric_limits<std::uint64_t>::max() - g.work_) {
      throw config_error("job graph: the sum of all weights does not fit 64 bits");
    }
    g.work_ += g.weight(v);
    const std::uint64_t end = earliest[v] + g.weight(v);
    g.span_ = std::max(g.span_, end);
    for (const dag::node s : g.successors(v)) {
      earliest[s] = std::max(earliest[s], end);
      if (--pending[s] == 0) ready.push_back(s);
    }
  }
  if (seen != count_) {
    throw config_error(
        fmt::format("job graph: {} nodes can never run, the graph has a cycle", count_ - seen));
  }
  return g;
}

}  // namespace nearfork::sim
