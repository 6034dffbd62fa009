/// \file
/// Warnings whose text is their own key.
#pragma once

#include <nearfork/detail/warn.hpp>
#include <string_view>

namespace nearfork::detail {

/// Gives a warning unless the same text was given before in this process.
inline void warn(std::string_view text) noexcept { warn_once(text, text); }

}  // namespace nearfork::detail
