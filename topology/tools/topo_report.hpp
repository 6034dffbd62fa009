/// \file
/// The two forms in which nearfork-topo tells a plan.
#pragma once

#include <nearfork/machine.hpp>
#include <nearfork/placement.hpp>
#include <string>

namespace nearfork::tools {

/// One JSON document, as the public contract describes it.
std::string plan_as_json(const machine& m, const plan_options& options, const placement& plan);

/// For people.
std::string plan_as_text(const machine& m, const plan_options& options, const placement& plan);

}  // namespace nearfork::tools
