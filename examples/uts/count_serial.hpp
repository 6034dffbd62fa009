/// \file
/// The search without forks: what the parallel one is compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "count.hpp"
#include "stack_limit.hpp"
#include "tree.hpp"

namespace uts {

/// Counts everything below \p top, \p top itself excluded, with the path on the heap: for trees
/// deeper than the stack. Memory: 32 bytes a level.
inline void count_below_on_heap(const tree& t, const node& top, std::uint32_t children, counts& c) {
  struct level {
    node parent;
    std::uint32_t next, end;
  };
  std::vector<level> path{{top, 0, children}};
  while (!path.empty()) {
    level& l = path.back();
    if (l.next == l.end) {
      path.pop_back();
      continue;
    }
    const node n = t.child(l.parent, l.next++);
    if (const std::uint32_t below = c.enter(t, n); below > 0) {
      path.push_back({n, 0, below});
    }
  }
}

namespace detail {

inline void count_subtree(const tree& t, const node& n, counts& c, std::uintptr_t limit) {
  const std::uint32_t children = c.enter(t, n);
  if (children > 0 && stack_is_low(limit)) {
    count_below_on_heap(t, n, children, c);
    return;
  }
  for (std::uint32_t i = 0; i < children; ++i) {
    count_subtree(t, t.child(n, i), c, limit);
  }
}

}  // namespace detail

/// Counts the whole tree, depth first. A tree of any depth is fine.
inline counts count_serial(const tree& t) {
  counts c;
  detail::count_subtree(t, t.root(), c, stack_limit());
  return c;
}

}  // namespace uts
