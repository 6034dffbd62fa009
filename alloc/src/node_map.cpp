#include <atomic>
#include <nearfork/detail/node_map.hpp>
#include <nearfork/detail/pages.hpp>
#include <nearfork/machine.hpp>
#include <nearfork/placement.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace nearfork::detail {

namespace {

static_assert(any_node == npos, "resources say npos where there is no node");

std::atomic<node_resolver> resolver{nullptr};

/// The nodes as threads outside of pools see them. Kept: a later caller's mask may be narrower.
std::span<const std::size_t> default_nodes() {
  static const std::vector<std::size_t> ids = [] {
    const placement plan = make_placement(machine::from_environment(), plan_options{});
    std::vector<std::size_t> found;
    for (node_index n = 0; n < plan.nodes.size(); ++n) found.push_back(os_id_of(plan, n));
    return found;
  }();
  return ids;
}

}  // namespace

void set_node_resolver(node_resolver r) noexcept { resolver.store(r, std::memory_order_release); }

std::size_t os_id_of(node_index node) {
  std::span<const std::size_t> ids;
  if (const auto resolve = resolver.load(std::memory_order_acquire)) ids = resolve();
  if (ids.empty()) ids = default_nodes();
  if (node >= ids.size())
    throw std::out_of_range("nearfork: there is no node " + std::to_string(node) +
                            "; accepted are 0 to " + std::to_string(ids.size() - 1));
  return ids[node];
}

std::size_t os_id_of(const placement& plan, node_index node) noexcept {
  return plan.foreign || node >= plan.nodes.size() ? any_node : plan.nodes[node].os_id;
}

}  // namespace nearfork::detail
