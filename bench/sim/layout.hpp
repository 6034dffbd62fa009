/// \file
/// Where the simulated workers sit: whom each can steal from, in which ring, at what distance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork {
struct placement;
}

namespace nearfork::sim {

/// How far a victim is: on the same core, sharing a cache, on the same memory node, on another one.
enum class ring : std::uint8_t { smt, cache, node, remote };
inline constexpr std::size_t ring_count = 4;
inline constexpr std::array<ring, ring_count> all_rings{ring::smt, ring::cache, ring::node,
                                                        ring::remote};
std::string_view to_string(ring r) noexcept;

/// Victims of one thief at the same distance.
struct victim_group {
  ring where = ring::node;
  double scale = 1;  ///< remote: distance relative to the machine's smallest remote distance
  std::vector<std::uint32_t> members;
};

/// The workers of one simulated run. Plain data.
struct layout {
  std::string source;    ///< "flat", or the machine's file name or synthetic string
  bool machine = false;  ///< whether rings and memory nodes mean anything
  std::size_t nodes = 1;
  std::vector<std::uint32_t> node_of;                ///< memory node of each worker
  std::vector<std::uint32_t> occupied;               ///< the nodes that have a worker, ascending
  std::vector<std::vector<victim_group>> victims;    ///< of each worker, nearest first, none empty
  std::vector<std::vector<std::uint16_t>> group_of;  ///< [thief][victim]: index into victims[thief]
  /// [from][to]: how much farther memory on `to` is than memory at home: distance / local distance
  /// - 1, never negative. 1 between different nodes where the machine gives no latencies.
  std::vector<std::vector<double>> excess;

  std::size_t workers() const noexcept { return node_of.size(); }
};

/// Workers without a machine: all equally near. \p workers is at least 1.
layout flat_layout(std::size_t workers);

/// Workers on the seats of a plan. O(workers^2).
layout layout_of(const placement& plan);

}  // namespace nearfork::sim
