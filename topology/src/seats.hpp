/// \file
/// Which seats there are and in which order workers take them.
#pragma once

#include <cstddef>
#include <nearfork/detail/machine_data.hpp>
#include <nearfork/placement.hpp>
#include <string>
#include <vector>

namespace nearfork::detail {

/// A place for one worker: a core, or one hardware thread of it.
struct seat {
  std::size_t core = 0;          ///< dense index
  std::vector<std::size_t> pus;  ///< dense indices of the allowed PUs, first choice first
};

/// All seats on allowed cores of the wanted kind, in machine order.
std::vector<seat> make_seats(const machine::data& data, const plan_options& options);

/// Orders the seats as workers take them, with a one-line reason each. Every prefix of the order
/// is itself spread (or compact), so that a pool that shrinks keeps its policy.
struct seat_order {
  std::vector<std::size_t> seats;    ///< indices of seats
  std::vector<std::string> reasons;  ///< as seats
};
seat_order order_seats(const machine::data& data, const std::vector<seat>& seats,
                       const plan_options& options);

}  // namespace nearfork::detail
