/// \file
/// How an array's memory is spread over nodes.
#pragma once

#include <cstddef>
#include <nearfork/indices.hpp>

namespace nearfork {

/// How an array's memory is spread over the memory nodes of a pool's workers.
struct distribution {
  enum class kind { block, interleaved, on } how = kind::block;
  node_index node = npos;  ///< for kind::on
};

/// One contiguous block a node, of (nearly) equal size, cut at page boundaries.
inline constexpr distribution block{distribution::kind::block, npos};
/// Stripes of whole pages, the nodes in turn.
inline constexpr distribution interleaved{distribution::kind::interleaved, npos};
/// Everything on one node.
constexpr distribution on(node_index node) noexcept { return {distribution::kind::on, node}; }

}  // namespace nearfork
