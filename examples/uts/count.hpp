/// \file
/// What a search finds: the number of nodes and leaves, and the depth.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tree.hpp"

namespace uts {

struct counts {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t depth = 0;  ///< height of the highest node, the root's is 0

  /// Takes a node in. \returns how many children it has.
  std::uint32_t enter(const tree& t, const node& n) noexcept {
    const std::uint32_t children = t.children(n);
    ++nodes;
    leaves += children == 0 ? 1U : 0U;
    depth = std::max<std::uint64_t>(depth, n.height);
    return children;
  }

  friend bool operator==(const counts&, const counts&) = default;
};

}  // namespace uts
