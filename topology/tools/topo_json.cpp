#include <nearfork/detail/machine_data.hpp>
#include <nlohmann/json.hpp>

#include "topo_report.hpp"

namespace nearfork::tools {
namespace {

// Members in the order in which they are written here.
using json = nlohmann::ordered_json;

json nodes(const placement& plan) {
  json list = json::array();
  for (const node_place& node : plan.nodes) {
    list.push_back({{"id", node.os_id},
                    {"pus", node.pus},
                    {"memory_bytes", node.memory_bytes},
                    {"kind", node.kind}});
  }
  return list;
}

json workers(const placement& plan) {
  json list = json::array();
  for (const worker_place& w : plan.workers) {
    const victim_rings& rings = plan.victims[w.id];
    list.push_back({{"id", w.id},
                    {"pu", w.pu},
                    {"core", w.core},
                    {"cache", w.cache},
                    {"node", plan.nodes[w.node].os_id},
                    {"victims",
                     {{"smt", rings.smt},
                      {"cache", rings.cache},
                      {"node", rings.node},
                      {"remote", rings.remote}}},
                    {"binding", w.binding},
                    {"reason", w.reason}});
  }
  return list;
}

json caches(const machine::data& data) {
  json list = json::array();
  for (std::size_t c = 0; c < data.caches.size(); ++c) {
    const detail::cache_data& cache = data.caches[c];
    list.push_back(
        {{"id", c}, {"label", cache.label}, {"bytes", cache.bytes}, {"cores", cache.cores}});
  }
  return list;
}

json options_used(const plan_options& options) {
  return {{"bind", to_string(options.bind)},
          {"place", to_string(options.place)},
          {"smt", to_string(options.smt)},
          {"kinds", to_string(options.kinds)},
          {"steal", to_string(options.steal)}};
}

}  // namespace

std::string plan_as_json(const machine& m, const plan_options& options, const placement& plan) {
  json document;
  document["source"] = plan.source;
  document["allowed_pus"] = plan.allowed_pus;
  document["quota"] = plan.quota ? json(*plan.quota) : json(nullptr);
  document["nodes"] = nodes(plan);
  // Only what firmware measured; the tree's steps show in the victims' order.
  document["distances"] = plan.latency_matrix ? json(plan.distances) : json(nullptr);
  document["workers"] = workers(plan);
  document["warnings"] = plan.warnings;
  document["caches"] = caches(m.get());
  document["options"] = options_used(options);
  // On one line: the rings of big machines hold millions of numbers. A file's name may hold bytes
  // that are no UTF-8.
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace nearfork::tools
