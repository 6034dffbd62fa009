/// \file
/// Lists of CPU ids in the kernel's notation, such as "0-3,8,10-11".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::detail {

/// The ids of a list, ascending, each once; what cannot be read is left out.
std::vector<std::size_t> parse_cpu_list(std::string_view text);

/// The list of ascending \p ids; "none" when there are none.
std::string format_cpu_list(std::span<const std::size_t> ids);

}  // namespace nearfork::detail
