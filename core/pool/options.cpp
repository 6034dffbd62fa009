#include <bit>
#include <nearfork/detail/plan_environment.hpp>
#include <nearfork/pool.hpp>
#include <string>

namespace nearfork {
namespace {

std::size_t parse_capacity(const std::string& value, const char* what) {
  const std::size_t n = detail::parse_count(value, what, 2, std::size_t{1} << 30);
  if (!std::has_single_bit(n)) {
    throw config_error(std::string(what) + ": '" + value +
                       "' is not accepted; accepted are powers of two from 2 to 1073741824");
  }
  return n;
}

}  // namespace

pool_options pool_options::from_environment() {
  pool_options o;
  const plan_options plan = detail::plan_from_environment();
  o.workers = plan.workers;
  o.bind = plan.bind;
  o.place = plan.place;
  o.smt = plan.smt;
  o.kinds = plan.kinds;
  o.steal = plan.steal;
  if (const auto v = detail::environment_value("NEARFORK_SPIN_US")) {
    o.spin =
        std::chrono::microseconds(detail::parse_count(*v, "NEARFORK_SPIN_US", 0, 1'000'000'000));
  }
  if (const auto v = detail::environment_value("NEARFORK_DEQUE_CAPACITY")) {
    o.deque_capacity = parse_capacity(*v, "NEARFORK_DEQUE_CAPACITY");
  }
  if (const auto v = detail::environment_value("NEARFORK_STACK_BYTES")) {
    o.stack_bytes = detail::parse_count(*v, "NEARFORK_STACK_BYTES", 0, std::size_t{1} << 40);
  }
  return o;
}

}  // namespace nearfork
