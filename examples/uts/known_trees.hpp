/// \file
/// The published trees of about four million nodes, and their sizes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "count.hpp"
#include "tree.hpp"

namespace uts {

struct known_tree {
  std::string_view name;
  parameters made_from;
  counts expected;
};

inline constexpr std::array<known_tree, 3> known_trees{{
    {"T1",
     {.t = tree_kind::geometric, .a = tree_shape::fixed, .b = 4, .d = 10, .r = 19},
     {.nodes = 4'130'071, .leaves = 3'305'118, .depth = 10}},
    {"T3",
     {.t = tree_kind::binomial, .b = 2000, .r = 42, .q = 0.124875, .m = 8},
     {.nodes = 4'112'897, .leaves = 3'599'034, .depth = 1572}},
    {"T5",
     {.t = tree_kind::geometric, .a = tree_shape::linear, .b = 4, .d = 20, .r = 34},
     {.nodes = 4'147'582, .leaves = 2'181'318, .depth = 20}},
}};

inline std::optional<known_tree> find_known_tree(std::string_view name) {
  for (const known_tree& k : known_trees) {
    if (k.name == name) {
      return k;
    }
  }
  return std::nullopt;
}

}  // namespace uts
