/// @file
/// One operation of a thread: what it posts to the explorer and waits for.
#pragma once

#include <atomic>
#include <cstdint>

#include "nearfork_model/hooks.hpp"
#include "views.hpp"

namespace nearfork::model {

enum class op : std::uint8_t {
  start,             ///< before a thread's first instruction
  load,              //
  store,             //
  modify,            ///< read-modify-write
  compare_exchange,  //
  fence,             //
  light,             ///< the cheap half of the asymmetric barrier
  heavy,             ///< the dear half: its own fence, and the request to all others
  heavy_wait,        ///< until every other thread was reached
  pause,             ///< inside a loop that waits for another thread
  futex_wait,        ///< comparison and falling asleep
  futex_sleep,       ///< asleep until woken
  futex_wake,        //
  step,              ///< a scheduling point without an access
  join,              ///< the main thread waiting for all others
  // Not posted by programs:
  flush,        ///< a store leaves a store buffer (total store order)
  deliver,      ///< a heavy barrier reaches a thread
  plain_read,   // Races only, no scheduling point:
  plain_write,  //
  construct,    //
  destroy,      //
  allocate,     //
  deallocate,   //
  finish,       ///< a thread's end
};

using site_id = std::uint16_t;
inline constexpr location_id no_location = 0xffff;

struct operation {
  op kind = op::start;
  rmw function = rmw::exchange;
  bool weak = false;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;
  location_id location = no_location;
  site_id site = 0;
  std::uint64_t operand = 0;   ///< stored value, right-hand side, desired value, count
  std::uint64_t expected = 0;  ///< compare-exchange and futex_wait
};

constexpr bool acquires(std::memory_order o) noexcept {
  return o == std::memory_order_acquire || o == std::memory_order_consume ||
         o == std::memory_order_acq_rel || o == std::memory_order_seq_cst;
}
constexpr bool releases(std::memory_order o) noexcept {
  return o == std::memory_order_release || o == std::memory_order_acq_rel ||
         o == std::memory_order_seq_cst;
}

const char* name_of(op kind) noexcept;
const char* name_of(std::memory_order order) noexcept;
const char* name_of(rmw function) noexcept;

}  // namespace nearfork::model
