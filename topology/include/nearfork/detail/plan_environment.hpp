/// \file
/// The NEARFORK_* variables that shape a plan.
#pragma once

#include <cstddef>
#include <nearfork/placement.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork::detail {

/// The value of an environment variable; nothing when it is not set or empty.
std::optional<std::string> environment_value(const char* variable);

/// Reads a whole decimal number in [\p low, \p high]. \p what names the variable or option.
/// \throws config_error that names \p what, the value and what is accepted.
std::size_t parse_count(std::string_view value, std::string_view what, std::size_t low,
                        std::size_t high);

/// Reads a number of workers, 0 (one per allowed core) to max_workers. \throws config_error.
std::size_t parse_workers(std::string_view value, std::string_view what);

/// \p defaults, overridden by NEARFORK_WORKERS, _BIND, _PLACE, _SMT, _KINDS and _STEAL.
/// \throws config_error for the first value that is not accepted.
plan_options plan_from_environment(plan_options defaults = {});

}  // namespace nearfork::detail
