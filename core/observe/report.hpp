/// \file
/// What a pool tells on request of the environment: the plan at start, the statistics at the end.
#pragma once

#include <nearfork/placement.hpp>
#include <nearfork/statistics.hpp>
#include <string>

namespace nearfork::detail {

/// NEARFORK_DISPLAY_AFFINITY=1: one line per worker to stderr.
/// \throws config_error for another value than 0 or 1
void display_affinity(const placement& plan);

/// Where NEARFORK_REPORT wants the statistics: "" nowhere, "1" stderr, else a file's name.
std::string report_target();

/// Writes the statistics as text to stderr (target "1") or as JSON to a file. Several pools of one
/// process append to the file, one document a line. Trouble with the file is a warning.
void write_report(const std::string& target, const placement& plan, const statistics& s) noexcept;

/// The two forms.
std::string report_text(const placement& plan, const statistics& s);
std::string report_json(const placement& plan, const statistics& s);

}  // namespace nearfork::detail
