#include <algorithm>
#include <cmath>
#include <nearfork/detail/machine_data.hpp>
#include <nearfork/error.hpp>
#include <nearfork/placement.hpp>
#include <string>
#include <utility>

#include "src/rings.hpp"
#include "src/seats.hpp"

namespace nearfork {
namespace {

using detail::core_kind;
using detail::seat;

std::string plural(std::size_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

class planner {
 public:
  planner(const machine::data& data, const plan_options& options)
      : data_(data), options_(options), seats_(detail::make_seats(data, options)) {}

  placement plan() {
    plan_.source = data_.source;
    plan_.foreign = data_.foreign;
    plan_.quota = data_.quota;
    plan_.warnings = data_.warnings;
    place_nodes();
    if (seats_.empty()) refuse();
    const std::size_t count = worker_count();
    place_workers(count);
    warn_about_fill();
    plan_.victims = detail::make_rings(plan_);
    return std::move(plan_);
  }

 private:
  // Nodes with allowed PUs first, each part in hwloc's order.
  void place_nodes() {
    std::vector<std::vector<std::size_t>> pus(data_.nodes.size());
    for (const detail::pu_data& pu : data_.pus) {
      if (!pu.allowed) continue;
      plan_.allowed_pus.push_back(pu.os_id);
      pus[data_.cores[pu.core].node].push_back(pu.os_id);
    }
    std::sort(plan_.allowed_pus.begin(), plan_.allowed_pus.end());
    std::vector<std::size_t> order;
    for (const bool with_pus : {true, false}) {
      for (std::size_t n = 0; n < pus.size(); ++n) {
        if (pus[n].empty() != with_pus) order.push_back(n);
      }
      if (with_pus) plan_.worker_nodes = order.size();
    }
    node_index_.resize(order.size());
    for (const std::size_t n : order) {
      const detail::node_data& node = data_.nodes[n];
      node_index_[n] = plan_.nodes.size();
      std::sort(pus[n].begin(), pus[n].end());
      plan_.nodes.push_back({node.os_id, std::move(pus[n]), node.memory_bytes, node.kind});
      std::vector<std::uint64_t> row;
      for (const std::size_t to : order) row.push_back(data_.distances[n][to]);
      plan_.distances.push_back(std::move(row));
    }
    plan_.latency_matrix = data_.latency_matrix;
  }

  [[noreturn]] void refuse() const {
    if (plan_.allowed_pus.empty()) throw config_error("no CPU is allowed: nothing can be placed");
    std::string message = "kinds: '" + std::string(to_string(options_.kinds)) +
                          "' leaves no core to place a worker on: the allowed cores are ";
    message += options_.kinds == core_kinds::performance ? "all efficient ones"
               : is_hybrid()                             ? "all performance ones"
                                                         : "all alike";
    throw config_error(message + "; accepted here are all and " +
                       (options_.kinds == core_kinds::performance ? "efficient" : "performance"));
  }

  bool is_hybrid() const {
    return std::any_of(data_.cores.begin(), data_.cores.end(),
                       [](const detail::core_data& c) { return c.kind != core_kind::uniform; });
  }

  const char* seat_name() const {
    return options_.smt == smt_policy::all ? "allowed hardware thread" : "allowed core";
  }

  std::size_t worker_count() {
    const std::size_t most = seats_.size();
    const bool limited = data_.quota && std::ceil(*data_.quota) < static_cast<double>(most);
    const std::size_t quota =
        limited ? std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(*data_.quota)))
                : most;
    const std::size_t count = options_.workers != 0 ? options_.workers : quota;
    if (count > max_workers) {
      throw config_error("workers: " + std::to_string(count) + " is too many; accepted are 1 to " +
                         std::to_string(max_workers) + ", and 0 for one a core");
    }
    if (limited) {
      std::string text =
          "a cgroup CPU quota of " + number(*data_.quota) + " CPUs (" + data_.quota_source + ") ";
      if (options_.workers == 0) {
        text +=
            "limits the plan to " + plural(quota, "worker") + " on " + plural(most, seat_name());
        plan_.warnings.push_back(std::move(text));
      } else if (count > quota) {
        text += "is overridden by workers = " + std::to_string(count) +
                ": the threads will be throttled";
        plan_.warnings.push_back(std::move(text));
      }
    }
    if (count > most) {
      plan_.warnings.push_back(plural(count, "worker") + " on " + plural(most, seat_name()) +
                               ": some share a core and will slow each other down");
    }
    return count;
  }

  void place_workers(std::size_t count) {
    const detail::seat_order order = detail::order_seats(data_, seats_, options_);
    for (std::size_t w = 0; w < count; ++w) {
      const std::size_t round = w / order.seats.size();
      const std::size_t at = w % order.seats.size();
      const seat& s = seats_[order.seats[at]];
      const detail::core_data& core = data_.cores[s.core];
      worker_place place;
      place.id = w;
      // Workers that share a core share it by its hardware threads as long as it has some.
      const std::size_t pu = s.pus[round % s.pus.size()];
      place.pu = data_.pus[pu].os_id;
      place.core = s.core;
      place.cache = core.cache;
      place.node = node_index_[core.node];
      place.binding = binding(pu, core);
      place.reason = order.reasons[at];
      if (round > 0) {
        place.reason += ", shared: round " + std::to_string(round + 1) + " of more workers than " +
                        (options_.smt == smt_policy::all ? "hardware threads" : "cores");
      }
      plan_.workers.push_back(std::move(place));
    }
  }

  std::vector<std::size_t> binding(std::size_t pu, const detail::core_data& core) const {
    std::vector<std::size_t> pus;
    const auto add_cores = [&](const std::vector<std::size_t>& cores) {
      for (const std::size_t c : cores) {
        // A worker asked for on fast cores must not wander to slow ones.
        if (options_.kinds != core_kinds::all && data_.cores[c].kind != core.kind) continue;
        for (const std::size_t p : data_.cores[c].pus) {
          if (data_.pus[p].allowed) pus.push_back(data_.pus[p].os_id);
        }
      }
    };
    switch (options_.bind) {
      case bind_policy::core:
        add_cores({data_.pus[pu].core});
        break;
      case bind_policy::pu:
        pus.push_back(data_.pus[pu].os_id);
        break;
      case bind_policy::cache:
        add_cores(data_.caches[core.cache].cores);
        break;
      case bind_policy::node:
        add_cores(data_.nodes[core.node].cores);
        break;
      case bind_policy::none:
        break;
    }
    std::sort(pus.begin(), pus.end());
    return pus;
  }

  // Static shares and memory bandwidth are a node's: a lone worker on a second node slows all.
  void warn_about_fill() {
    std::vector<std::size_t> count(plan_.nodes.size());
    for (const worker_place& w : plan_.workers) ++count[w.node];
    std::size_t least = plan_.workers.size();
    std::size_t most = 0;
    std::string list;
    for (std::size_t n = 0; n < count.size(); ++n) {
      if (count[n] == 0) continue;
      least = std::min(least, count[n]);
      most = std::max(most, count[n]);
      list += (list.empty() ? "" : ", ") + std::to_string(count[n]) + " on node " +
              std::to_string(plan_.nodes[n].os_id);
    }
    if (least != most) {
      plan_.warnings.push_back("uneven fill: workers are " + list +
                               "; loops that share memory bandwidth evenly will wait for the "
                               "fullest node");
    }
  }

  const machine::data& data_;
  const plan_options& options_;
  std::vector<seat> seats_;
  std::vector<node_index> node_index_;  // of the plan, by index in data_
  placement plan_;
};

}  // namespace

placement make_placement(const machine& m, const plan_options& options) {
  return planner(m.get(), options).plan();
}

}  // namespace nearfork
