/// \file
/// A job as a directed acyclic graph of weighted nodes: what the simulator executes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nearfork::sim {

/// An immutable job graph with one first node. A node may run when all its predecessors have run.
/// The order of a node's successors matters: who enables several goes on with the first one and
/// pushes the others. Node numbers follow the serial execution where the maker of the graph can
/// say so (data partitions go by them). Reading from several threads is safe.
class dag {
 public:
  using node = std::uint32_t;

  std::size_t size() const noexcept { return predecessors_.size(); }
  std::size_t edges() const noexcept { return targets_.size(); }
  /// The only node without predecessors.
  node root() const noexcept { return root_; }
  std::span<const node> successors(node v) const noexcept {
    return {targets_.data() + first_[v], targets_.data() + first_[v + 1]};
  }
  /// Time steps that \p v takes with its data at hand.
  std::uint64_t weight(node v) const noexcept { return weights_.empty() ? uniform_ : weights_[v]; }
  /// How many predecessors each node has.
  std::span<const std::uint32_t> predecessors() const noexcept { return predecessors_; }

  /// Sum of all weights: the time on one worker.
  std::uint64_t work() const noexcept { return work_; }
  /// The heaviest path: the time on any number of workers.
  std::uint64_t span() const noexcept { return span_; }

 private:
  friend class dag_builder;
  dag() = default;

  std::vector<std::uint32_t> first_;  // successors of v: targets_[first_[v] .. first_[v + 1])
  std::vector<node> targets_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint64_t> weights_;  // empty: all nodes weigh uniform_
  std::uint64_t uniform_ = 1;
  std::uint64_t work_ = 0;
  std::uint64_t span_ = 0;
  node root_ = 0;
};

/// Collects nodes and edges and checks them.
class dag_builder {
 public:
  /// More than this is refused: a graph of unit nodes then takes about 2 GB while it is built.
  static constexpr std::size_t max_nodes = 50'000'000;

  /// A new node; numbers are given from 0 upwards. \throws config_error beyond max_nodes.
  dag::node add(std::uint64_t weight = 1);
  /// \p to waits for \p from. Successors keep the order in which their edges were added.
  /// \throws config_error when a node does not exist.
  void edge(dag::node from, dag::node to);
  /// Checks the graph and computes work and span; O(nodes + edges). The builder is used up.
  /// \throws config_error when it is empty, has a cycle or not exactly one first node, or when its
  /// work does not fit 64 bits.
  dag build() &&;

 private:
  std::vector<std::pair<dag::node, dag::node>> edges_;
  std::vector<std::uint64_t> weights_;  // filled from the first weight that differs on
  std::uint64_t uniform_ = 1;
  std::size_t count_ = 0;
};

}  // namespace nearfork::sim
