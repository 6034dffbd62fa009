/// \file
/// The trees of Unbalanced Tree Search (Olivier et al., LCPC 2006): the children of a node follow
/// from a hash of the path to it, so that a huge and lopsided tree needs no memory at all, and its
/// known size checks the answer.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "sha1.hpp"

namespace uts {

enum class tree_kind { binomial = 0, geometric = 1, hybrid = 2 };
enum class tree_shape { linear = 0, exponential = 1, cyclic = 2, fixed = 3 };

/// What a tree is made from; the members are named after the published command-line letters.
struct parameters {
  tree_kind t = tree_kind::geometric;
  tree_shape a = tree_shape::linear;  ///< how the geometric branching falls with the height
  double b = 4.0;                     ///< branching factor at the root
  std::uint32_t d = 6;                ///< geometric: depth that the shape is stretched over
  std::uint32_t r = 0;                ///< seed of the root
  double q = 15.0 / 64.0;             ///< binomial: probability that a node has children
  std::uint32_t m = 4;                ///< binomial: how many it has then
  double f = 0.5;                     ///< hybrid: share of d that is geometric
  std::uint32_t g = 1;                ///< how often each hash is computed: the work a node
};

/// \throws std::invalid_argument that names the parameter, its value and what is accepted.
inline void check(const parameters& p) {
  const auto fail = [](const char* name, const std::string& value, const char* accepted) {
    throw std::invalid_argument(std::string(name) + " is " + value + ", accepted is " + accepted);
  };
  const auto within = [&](const char* name, double value, double low, double high,
                          const char* accepted) {
    if (!(value >= low && value <= high)) {  // also when it is not a number
      fail(name, std::to_string(value), accepted);
    }
  };
  within("the branching factor -b", p.b, 0, 1e9, "0 to 1000000000");
  within("the depth -d", p.d, 1, 1e6, "1 to 1000000");
  within("the probability -q", p.q, 0, 1, "0 to 1");
  within("the number of children -m", p.m, 0, 100, "0 to 100");
  within("the hybrid's share -f", p.f, 0, 1, "0 to 1");
  within("the granularity -g", p.g, 1, 1e6, "1 to 1000000");
  if (p.t != tree_kind::geometric && p.q * p.m >= 1) {
    fail("the product of -q and -m", std::to_string(p.q * p.m),
         "less than 1: the tree would be infinite");
  }
  if (p.t != tree_kind::binomial && p.a == tree_shape::exponential && p.d < 2) {
    fail("the depth -d", std::to_string(p.d), "2 or more for the exponential shape");
  }
}

struct node {
  digest state{};
  std::uint32_t height = 0;

  /// The node's random value, 31 bits.
  std::uint32_t random() const noexcept { return state[4] & 0x7FFFFFFFU; }
};

/// A tree as a function: root() and child() are all that there is of it. Immutable.
class tree {
 public:
  static constexpr std::uint32_t most_children = 100;  ///< of any node but a binomial root

  /// \throws std::invalid_argument as check() does.
  explicit tree(const parameters& p) : p_(p) {
    check(p_);
    // u < q with u = value / 2^31, without leaving the integers: exact, for scaling by 2^31 is.
    threshold_ = static_cast<std::uint32_t>(std::ceil(p_.q * 0x1p31));
    geometric_below_ = p_.t == tree_kind::binomial ? 0.0
                       : p_.t == tree_kind::hybrid ? p_.f * p_.d
                                                   : HUGE_VAL;
    if (p_.t != tree_kind::binomial) {
      // The cyclic shape ends at 5 d; beyond the table the value is computed at each node.
      const std::uint64_t heights = std::min<std::uint64_t>(5 * std::uint64_t{p_.d} + 1, 4096);
      for (std::uint32_t h = 0; h < heights; ++h) {
        log_of_rest_.push_back(compute_log_of_rest(h));
      }
    }
  }

  const parameters& made_from() const noexcept { return p_; }

  node root() const noexcept { return {sha1_words<5>({0, 0, 0, 0, p_.r}), 0}; }

  /// Child number \p i. Complexity: one SHA-1 block, g times.
  node child(const node& parent, std::uint32_t i) const noexcept {
    const digest& s = parent.state;
    std::array<std::uint32_t, 6> message{s[0], s[1], s[2], s[3], s[4], i};
    for (std::uint32_t again = p_.g; again > 1; --again) {
      // The compiler may neither skip a hash whose result nobody uses nor merge equal ones.
      const digest unused = sha1_words(message);
      asm volatile("" : "+m"(message) : "m"(unused));
    }
    return {sha1_words(message), parent.height + 1};
  }

  /// How many children \p n has.
  std::uint32_t children(const node& n) const noexcept {
    if (n.height < geometric_below_) {
      return geometric(n);
    }
    if (n.height == 0 && p_.t == tree_kind::binomial) {
      return static_cast<std::uint32_t>(p_.b);
    }
    return n.random() < threshold_ ? p_.m : 0;
  }

 private:
  std::uint32_t geometric(const node& n) const noexcept {
    const double rest =
        n.height < log_of_rest_.size() ? log_of_rest_[n.height] : compute_log_of_rest(n.height);
    const double wanted = std::floor(std::log(1.0 - n.random() * 0x1p-31) / rest);
    return wanted < most_children ? static_cast<std::uint32_t>(wanted) : most_children;
  }

  /// ln(1 - p) for the branching wanted at height \p h; minus infinity (no children) where it is 0.
  double compute_log_of_rest(std::uint32_t h) const noexcept {
    return std::log(1.0 - 1.0 / (1.0 + branching(h)));
  }

  double branching(std::uint32_t h) const noexcept {
    const double height = h, depth = p_.d;
    if (h == 0) {
      return p_.b;
    }
    switch (p_.a) {
      case tree_shape::exponential:
        return p_.b * std::pow(height, -std::log(p_.b) / std::log(depth));
      case tree_shape::cyclic:
        return height > 5 * depth
                   ? 0.0
                   : std::pow(p_.b, std::sin(2.0 * std::numbers::pi * height / depth));
      case tree_shape::fixed:
        return h < p_.d ? p_.b : 0.0;
      case tree_shape::linear:
        break;
    }
    return h < p_.d ? p_.b * (1.0 - height / depth) : 0.0;
  }

  parameters p_;
  std::uint32_t threshold_ = 0;
  double geometric_below_ = 0;
  std::vector<double> log_of_rest_;
};

}  // namespace uts
