/// @file
/// What happened on the way to the present state, and how it is shown to people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory.hpp"
#include "operation.hpp"

namespace nearfork::model {

struct event {
  std::uint8_t thread = 0;
  std::uint8_t other = 0;  ///< deliver: the barrier's thread
  op kind = op::start;
  rmw function = rmw::exchange;
  std::memory_order order = std::memory_order_relaxed;
  location_id location = no_location;
  site_id site = 0;
  value_info info{};
  bool success = false;
  std::uint8_t newer = 0;
  std::uint64_t value = 0;
  std::uint64_t wrote = 0;
  std::uint64_t expected = 0;
};

using trace = std::vector<event>;

/// The schedule as a table, one line a step: thread, place, operation, values, source text.
std::string describe(const trace& events, const memory& m,
                     const std::vector<std::string>& thread_names);

}  // namespace nearfork::model
