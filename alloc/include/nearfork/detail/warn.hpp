/// \file
/// Warnings that the whole project gives once a process.
#pragma once

#include <string_view>

namespace nearfork::detail {

/// Takes one whole line ("nearfork: warning: ...", no newline). Called with a lock held: it must
/// not warn itself.
using warning_sink = void (*)(std::string_view line);

/// Writes "nearfork: warning: MESSAGE" as one line to stderr, the first time \p key is seen in this
/// process; later calls with that key do nothing. Thread-safe; never throws, so that it can be
/// called where memory is being given back. Returns whether the line was written.
bool warn_once(std::string_view key, std::string_view message) noexcept;

/// Where warnings go instead of stderr, for tests; nullptr: stderr again. Returns the last sink.
warning_sink set_warning_sink(warning_sink sink) noexcept;

/// Forgets which warnings were given, for tests.
void forget_warnings() noexcept;

}  // namespace nearfork::detail
