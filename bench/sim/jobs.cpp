#include "jobs.hpp"

#include <fmt/format.h>

#include <nearfork/error.hpp>
#include <utility>
#include <vector>

#include "random.hpp"

namespace nearfork::sim {
namespace {

// The first and the last node of a call.
using call = std::pair<dag::node, dag::node>;

// Two calls that may run in parallel: spawn, continuation and sync around them. The calls are made
// between the nodes, so that numbers follow the serial execution.
template <class First, class Second>
call fork_two(dag_builder& b, First&& make_first, Second&& make_second) {
  const dag::node spawn = b.add();
  const call first = make_first();
  const dag::node continuation = b.add();
  const call second = make_second();
  const dag::node sync = b.add();
  b.edge(spawn, first.first);  // the child first: work-first execution
  b.edge(spawn, continuation);
  b.edge(continuation, second.first);
  b.edge(first.second, sync);
  b.edge(second.second, sync);
  return {spawn, sync};
}

// Any number of calls, forked one after the other by a chain of nodes, and a sync for all.
template <class Make>
call fork_many(dag_builder& b, std::size_t count, std::uint64_t weight, Make&& make) {
  const dag::node first = b.add(weight);
  if (count == 0) return {first, first};
  std::vector<dag::node> ends;
  ends.reserve(count);
  dag::node forking = first;
  for (std::size_t i = 0; i < count; ++i) {
    const call child = make();
    b.edge(forking, child.first);
    ends.push_back(child.second);
    if (i + 1 == count) break;
    const dag::node next = b.add();
    b.edge(forking, next);
    forking = next;
  }
  const dag::node sync = b.add();
  for (const dag::node end : ends) b.edge(end, sync);
  return {first, sync};
}

call leaf(dag_builder& b, std::uint64_t weight) {
  const dag::node v = b.add(weight);
  return {v, v};
}

call add_fib(dag_builder& b, unsigned n) {
  if (n < 2) return leaf(b, 1);
  return fork_two(b, [&] { return add_fib(b, n - 1); }, [&] { return add_fib(b, n - 2); });
}

call add_loop(dag_builder& b, unsigned levels) {
  if (levels == 0) return leaf(b, 20);
  const auto half = [&] { return add_loop(b, levels - 1); };
  return fork_two(b, half, half);
}

call add_groups(dag_builder& b, unsigned levels) {
  if (levels == 0) return leaf(b, 10);
  return fork_many(b, 10, 1, [&] { return add_groups(b, levels - 1); });
}

// The shape depends on nothing but these numbers: each tree of a given size is always the same.
call add_subtree(dag_builder& b, generator& random) {
  constexpr double probability = 0.4975;
  const bool inner = random.next() < static_cast<std::uint32_t>(probability * 4294967296.0);
  return fork_many(b, inner ? 2 : 0, 10, [&] { return add_subtree(b, random); });
}

}  // namespace

std::string_view to_string(job_kind k) noexcept {
  switch (k) {
    case job_kind::fib:
      return "fib";
    case job_kind::loop:
      return "loop";
    case job_kind::groups:
      return "groups";
    case job_kind::tree:
      return "tree";
  }
  return "?";
}

unsigned largest(job_kind k) noexcept {
  switch (k) {
    case job_kind::fib:
      return 30;
    case job_kind::loop:
      return 20;
    case job_kind::groups:
      return 6;
    case job_kind::tree:
      return 13;
  }
  return 0;
}

unsigned usual(job_kind k) noexcept {
  switch (k) {
    case job_kind::fib:
      return 24;
    case job_kind::loop:
      return 16;
    case job_kind::groups:
      return 5;
    case job_kind::tree:
      return 10;
  }
  return 0;
}

dag make_job(job_kind k, unsigned n) {
  if (n > largest(k)) {
    throw config_error(
        fmt::format("{}({}) is too large: the graph is held in memory; accepted: 0 to {}",
                    to_string(k), n, largest(k)));
  }
  dag_builder b;
  switch (k) {
    case job_kind::fib:
      add_fib(b, n);
      break;
    case job_kind::loop:
      add_loop(b, n);
      break;
    case job_kind::groups:
      add_groups(b, n);
      break;
    case job_kind::tree: {
      generator random(0);
      fork_many(b, std::size_t{1} << n, 1, [&] { return add_subtree(b, random); });
      break;
    }
  }
  return std::move(b).build();
}

dag fib_dag(unsigned n) { return make_job(job_kind::fib, n); }

}  // namespace nearfork::sim
