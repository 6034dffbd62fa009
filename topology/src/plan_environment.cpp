#include <charconv>
#include <cstdlib>
#include <nearfork/detail/plan_environment.hpp>
#include <nearfork/error.hpp>
#include <system_error>

namespace nearfork::detail {
namespace {

template <class Value, class Parser>
void override_by(const char* variable, Value& value, Parser parser) {
  if (const auto text = environment_value(variable)) value = parser(*text, variable);
}

}  // namespace

std::optional<std::string> environment_value(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::size_t parse_count(std::string_view value, std::string_view what, std::size_t low,
                        std::size_t high) {
  std::size_t count = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, count);
  if (error == std::errc{} && stop == end && count >= low && count <= high) return count;
  std::string message;
  message.append(what).append(": '").append(value).append("' is not accepted; accepted are whole ");
  message += "numbers from " + std::to_string(low) + " to " + std::to_string(high);
  throw config_error(message);
}

std::size_t parse_workers(std::string_view value, std::string_view what) {
  return parse_count(value, what, 0, max_workers);
}

plan_options plan_from_environment(plan_options options) {
  override_by("NEARFORK_WORKERS", options.workers, parse_workers);
  override_by("NEARFORK_BIND", options.bind, parse_bind_policy);
  override_by("NEARFORK_PLACE", options.place, parse_place_policy);
  override_by("NEARFORK_SMT", options.smt, parse_smt_policy);
  override_by("NEARFORK_KINDS", options.kinds, parse_core_kinds);
  override_by("NEARFORK_STEAL", options.steal, parse_steal_policy);
  return options;
}

}  // namespace nearfork::detail
