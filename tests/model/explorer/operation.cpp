#include "operation.hpp"

namespace nearfork::model {

const char* name_of(op kind) noexcept {
  switch (kind) {
    case op::start:
      return "start";
    case op::load:
      return "load";
    case op::store:
      return "store";
    case op::modify:
      return "modify";
    case op::compare_exchange:
      return "compare_exchange";
    case op::fence:
      return "fence";
    case op::light:
      return "light_barrier";
    case op::heavy:
      return "heavy_barrier";
    case op::heavy_wait:
      return "heavy_barrier returns";
    case op::pause:
      return "spin_pause";
    case op::futex_wait:
      return "futex_wait";
    case op::futex_sleep:
      return "futex_wait returns";
    case op::futex_wake:
      return "futex_wake";
    case op::step:
      return "step";
    case op::join:
      return "join";
    case op::flush:
      return "store buffer drains";
    case op::deliver:
      return "heavy barrier arrives";
    case op::plain_read:
      return "plain read";
    case op::plain_write:
      return "plain write";
    case op::construct:
      return "construct";
    case op::destroy:
      return "destroy";
    case op::allocate:
      return "allocate";
    case op::deallocate:
      return "free";
    case op::finish:
      return "end of thread";
  }
  return "?";
}

const char* name_of(std::memory_order order) noexcept {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "?";
}

const char* name_of(rmw function) noexcept {
  switch (function) {
    case rmw::exchange:
      return "exchange";
    case rmw::add:
      return "fetch_add";
    case rmw::sub:
      return "fetch_sub";
    case rmw::bit_or:
      return "fetch_or";
    case rmw::bit_and:
      return "fetch_and";
  }
  return "?";
}

}  // namespace nearfork::model
