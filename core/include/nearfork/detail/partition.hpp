/// \file
/// Which indices of an array or range belong to which node.
#pragma once

#include <cstddef>
#include <nearfork/distribution.hpp>
#include <nearfork/indices.hpp>
#include <vector>

namespace nearfork::detail {

/// Indices [first, last) of one node.
struct part {
  std::size_t first = 0;
  std::size_t last = 0;
  node_index node = 0;
  friend bool operator==(const part&, const part&) = default;
};

/// Cuts [0, n) among \p nodes; parts are in index order, cover everything and are not empty.
/// \p element_bytes and \p page_bytes put the cuts of memory where pages end; 0: plain indices.
/// \throws std::out_of_range for distribution on() a node that is not there
std::vector<part> make_partition(std::size_t n, std::size_t nodes, distribution how,
                                 std::size_t element_bytes, std::size_t page_bytes);

}  // namespace nearfork::detail
