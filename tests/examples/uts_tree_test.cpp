/// \file
/// Requirement: the trees have the published shapes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "uts/count_serial.hpp"
#include "uts/tree.hpp"

namespace {

using uts::parameters;
using uts::tree;
using uts::tree_kind;
using uts::tree_shape;

/// The text of the error that the parameters cause; empty when there is none.
std::string refusal(const parameters& p) {
  try {
    const tree t(p);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

TEST(uts_tree, small_trees_have_the_sizes_another_implementation_gives) {
  struct known {
    parameters made_from;
    uts::counts expected;
  };
  const auto binomial = tree_kind::binomial;
  const auto hybrid = tree_kind::hybrid;
  for (const auto& [p, expected] : {
           known{{}, {1732, 1050, 6}},
           known{{.r = 1}, {486, 291, 6}},
           known{{.d = 8, .r = 5}, {17, 8, 7}},
           known{{.a = tree_shape::exponential, .b = 3, .d = 8, .r = 3}, {1, 1, 0}},
           known{{.a = tree_shape::exponential, .d = 5, .r = 7}, {2597, 1369, 14}},
           known{{.a = tree_shape::cyclic, .d = 3, .r = 4}, {19, 11, 3}},
           known{{.a = tree_shape::fixed, .b = 3, .d = 5, .r = 11}, {540, 406, 5}},
           known{{.a = tree_shape::fixed, .d = 7, .r = 19}, {63914, 51124, 7}},
           known{{.b = 0.3, .r = 1}, {2, 1, 1}},
           known{{.b = 0}, {1, 1, 0}},
           known{{.t = binomial, .b = 20, .q = 0.2}, {49, 41, 4}},
           known{{.t = binomial, .b = 500.9, .r = 3, .q = 0.12, .m = 8}, {17493, 15368, 68}},
           known{{.t = binomial, .b = 7, .r = 3, .q = 0.97, .m = 1}, {138, 7, 39}},
           known{{.t = binomial, .b = 300, .q = 0, .m = 3}, {301, 300, 1}},
           known{{.t = binomial, .b = 0.5}, {1, 1, 0}},
           known{{.t = hybrid, .b = 6, .d = 10, .r = 4}, {19466, 14668, 59}},
           known{{.t = hybrid, .a = tree_shape::fixed, .d = 12, .r = 5, .q = 0.23},
                 {2074, 1566, 46}},
           known{{.t = hybrid, .d = 8, .r = 5, .q = 0.2, .f = 0}, {1, 1, 0}},
           known{{.t = hybrid, .d = 6, .r = 9, .f = 1}, {3557, 2594, 57}},
       }) {
    const uts::counts found = uts::count_serial(tree(p));
    EXPECT_EQ(found, expected) << "kind " << static_cast<int>(p.t) << " shape "
                               << static_cast<int>(p.a) << " b " << p.b << " d " << p.d << " r "
                               << p.r << " q " << p.q << " m " << p.m << ": " << found.nodes << ' '
                               << found.leaves << ' ' << found.depth;
  }
}

TEST(uts_tree, only_a_binomial_root_has_more_than_100_children) {
  EXPECT_EQ(tree({.t = tree_kind::binomial, .b = 2000})
                .children(tree({.t = tree_kind::binomial, .b = 2000}).root()),
            2000U);
  // With a branching factor of a million nearly every geometric node wants more than 100.
  const tree wide({.a = tree_shape::fixed, .b = 1e6, .d = 3});
  uts::node n = wide.root();
  for (int level = 0; level < 3; ++level) {
    EXPECT_EQ(wide.children(n), 100U);
    n = wide.child(n, 99);
  }
  EXPECT_EQ(wide.children(n), 0U);
}

TEST(uts_tree, the_expected_number_of_children_is_the_branching_factor) {
  const tree t({.a = tree_shape::fixed, .b = 4, .d = 2});
  const uts::node root = t.root();
  std::uint64_t children = 0;
  constexpr std::uint32_t nodes = 20'000;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    children += t.children(t.child(root, i));
  }
  EXPECT_NEAR(static_cast<double>(children) / nodes, 4.0, 0.15);
}

TEST(uts_tree, more_work_a_node_changes_nothing_but_the_time) {
  parameters p{.a = tree_shape::fixed, .b = 3, .d = 5, .r = 11};
  p.g = 7;
  EXPECT_EQ(uts::count_serial(tree(p)), (uts::counts{540, 406, 5}));
}

TEST(uts_tree, bad_parameters_are_refused_by_name_and_value) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.b = -1}),
            "the branching factor -b is -1.000000, accepted is 0 to 1000000000");
  EXPECT_NE(refusal({.b = std::nan("")}).find("-b is nan"), std::string::npos);
  EXPECT_NE(refusal({.d = 0}).find("-d is 0"), std::string::npos);
  EXPECT_NE(refusal({.q = 1.5}).find("-q is 1.5"), std::string::npos);
  EXPECT_NE(refusal({.m = 101}).find("-m is 101"), std::string::npos);
  EXPECT_NE(refusal({.f = 2}).find("-f is 2"), std::string::npos);
  EXPECT_NE(refusal({.g = 0}).find("-g is 0"), std::string::npos);
  EXPECT_NE(refusal({.a = tree_shape::exponential, .d = 1}).find("-d is 1"), std::string::npos);
}

TEST(uts_tree, infinite_trees_are_refused) {
  EXPECT_NE(refusal({.t = tree_kind::binomial, .q = 0.25, .m = 4}).find("infinite"),
            std::string::npos);
  EXPECT_NE(refusal({.t = tree_kind::hybrid, .q = 0.5, .m = 3}).find("infinite"),
            std::string::npos);
  EXPECT_EQ(refusal({.t = tree_kind::geometric, .q = 0.5, .m = 3}), "");
}

}  // namespace
