/// \file
/// Machines described by an XML file or a synthetic string.
#pragma once

#include <nearfork/detail/machine_data.hpp>
#include <string>
#include <string_view>

namespace nearfork::detail {

/// Loads the machine that \p description names. \p what names the variable or option in errors.
/// \throws config_error when it is neither a readable hwloc XML file nor a synthetic string.
machine::data load_foreign(const std::string& description, std::string_view what);

}  // namespace nearfork::detail
