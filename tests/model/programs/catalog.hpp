/// @file
/// The programs on the shipped protocols, with their types left out: run by the tests, and by the
/// mutation harness against weakened code.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nearfork_model/program.hpp"

namespace nearfork::model::programs {

struct entry {
  std::string name;  ///< an identifier: it names the test
  std::function<report(const options&)> run;
  options how;                    ///< the program's own bounds
  std::vector<machine> machines;  ///< which can exhaust it within the tests' time
};

std::vector<entry> deque_programs();
std::vector<entry> injector_programs();
std::vector<entry> sleep_programs();

/// All of them.
const std::vector<entry>& catalog();

inline const std::vector<machine> every_machine{machine::sequential, machine::total_store_order,
                                                machine::views};

template <class Shared>
entry make_entry(program<Shared> p, options how = {}, std::vector<machine> on = every_machine) {
  entry e;
  e.name = p.name;
  e.how = how;
  e.machines = std::move(on);
  e.run = [p = std::move(p)](const options& o) { return explore(p, o); };
  return e;
}

}  // namespace nearfork::model::programs
