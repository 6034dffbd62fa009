/// \file
/// Options that all loops take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

namespace nearfork {

/// How a loop's range is shared out.
enum class schedule : std::uint8_t {
  adaptive,  ///< in halves, on demand: pieces as long as they are worth it, whoever is free takes
  fixed,     ///< pieces of equal size, set before the loop begins
  by_node    ///< one contiguous share a memory node, begun there, adaptive inside
};

/// Options of parallel_for and its kin.
struct loop_options {
  /// How many indices a piece has at least (adaptive, by_node) or exactly (fixed, reductions,
  /// scans), but for the range's end. 0: found out while running (adaptive, by_node), the range
  /// over the workers (fixed), a rule by length alone (reductions, scans).
  std::size_t grain = 0;
  /// Looked at between pieces: once stop is requested, the rest is left out.
  std::stop_token stop{};
  nearfork::schedule schedule = nearfork::schedule::adaptive;
};

}  // namespace nearfork
