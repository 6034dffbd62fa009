/// \file
/// The plot of a series, as an SVG file that needs nothing else.
#pragma once

#include <string>

#include "experiment.hpp"

namespace nearfork::sim {

/// Two panels: speed-up over workers beside what the theory allows, and steals, stacked by ring
/// where there is a machine.
std::string svg_of(const series& s);

}  // namespace nearfork::sim
