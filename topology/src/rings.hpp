/// \file
/// Whom each worker steals from, nearest first.
#pragma once

#include <nearfork/placement.hpp>
#include <vector>

namespace nearfork::detail {

/// The rings of all workers of \p plan, from its workers and distances. O(workers^2).
std::vector<victim_rings> make_rings(const placement& plan);

}  // namespace nearfork::detail
