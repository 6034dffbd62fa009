#include <memory>
#include <nearfork/detail/machine_data.hpp>
#include <nearfork/detail/plan_environment.hpp>
#include <nearfork/machine.hpp>
#include <string>
#include <string_view>

#include "src/foreign.hpp"
#include "src/native.hpp"

namespace nearfork {

machine machine::native() {
  // Loading takes long on big machines: once a process. The mask and the quota may differ at each
  // call, so they are applied to a copy.
  static const detail::native_sources sources;
  static const data discovered = detail::discover(sources);
  auto limited = std::make_shared<data>(discovered);
  detail::apply_limits(*limited, sources);
  return machine(std::move(limited));
}

machine machine::from(const std::string& xml_or_synthetic, std::string_view what) {
  return machine(std::make_shared<const data>(detail::load_foreign(xml_or_synthetic, what)));
}

machine machine::from_environment() {
  constexpr const char* variable = "NEARFORK_TOPOLOGY";
  const auto value = detail::environment_value(variable);
  return value ? from(*value, variable) : native();
}

}  // namespace nearfork
