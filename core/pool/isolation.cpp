#include <nearfork/isolate.hpp>

#include "pool/worker.hpp"

namespace nearfork::detail {

isolation::isolation(context& c) noexcept
    : context_(c), outer_(static_cast<worker&>(c).isolation_floor) {
  auto& w = static_cast<worker&>(c);
  w.isolation_floor = w.deque().position();
}

isolation::~isolation() { static_cast<worker&>(context_).isolation_floor = outer_; }

}  // namespace nearfork::detail
