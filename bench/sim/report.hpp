/// \file
/// What the command prints and writes: text, JSON and CSV. The plot is in plot.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace nearfork::sim {

/// A table for people, with the model in the lines above it.
std::string text_of(const series& s);
/// The document of `nearfork-sim fib --json`.
nlohmann::ordered_json json_of(const series& s);
/// A header line and one line a run (RFC 4180).
std::string csv_of(const series& s);

/// What `nearfork-sim compare` reports: the options of \p common apply to every machine; its runs
/// and source are not used.
std::string text_of(const series& common, const std::vector<comparison>& machines);
nlohmann::ordered_json json_of(const series& common, const std::vector<comparison>& machines);
std::string csv_of(const series& common, const std::vector<comparison>& machines);

}  // namespace nearfork::sim
