/// \file
/// Job graphs to simulate: the fork-join shapes that programs have.
#pragma once

#include <string_view>

#include "dag.hpp"

namespace nearfork::sim {

/// Shapes. Numbers of the graphs' nodes follow the serial execution in all of them.
enum class job_kind {
  fib,     ///< naive fib(n) in unit nodes: see fib_dag
  loop,    ///< a range of 2^n elements halved down to single ones, which weigh 20
  groups,  ///< groups of ten tasks nested n deep, each task forked in turn; leaves weigh 10
  tree  ///< unbalanced: 2^n subtrees, each node with two children at probability 0.4975, else none
};
std::string_view to_string(job_kind k) noexcept;

/// What `n` may be at most for each shape, and what it is when the user does not say.
unsigned largest(job_kind k) noexcept;
unsigned usual(job_kind k) noexcept;

/// The graph of one shape. \throws config_error when \p n is above largest(k).
dag make_job(job_kind k, unsigned n);

/// fib(n) in unit nodes: a call is a spawn (enables fib(n - 1), then the continuation), a
/// continuation (enables fib(n - 2)) and a sync that waits for both; fib(0) and fib(1) are one leaf
/// each. With F the Fibonacci numbers: work 4 F(n + 1) - 3, span 2 n (1 for n < 2). n = 30 has 5.4
/// million nodes and takes about 200 MB while it is built. \throws config_error above that.
dag fib_dag(unsigned n);

}  // namespace nearfork::sim
