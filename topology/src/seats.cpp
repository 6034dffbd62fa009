#include "src/seats.hpp"

#include <algorithm>
#include <tuple>

namespace nearfork::detail {
namespace {

bool wanted(core_kind kind, core_kinds kinds) noexcept {
  switch (kinds) {
    case core_kinds::all:
      return true;
    case core_kinds::performance:
      return kind != core_kind::efficient;
    case core_kinds::efficient:
      return kind == core_kind::efficient;
  }
  return true;
}

const char* kind_name(core_kind kind) noexcept {
  switch (kind) {
    case core_kind::performance:
      return "performance core";
    case core_kind::efficient:
      return "efficient core";
    case core_kind::uniform:
      break;
  }
  return "core";
}

// How many workers sit in each part of the machine while seats are handed out.
struct loads {
  explicit loads(const machine::data& data)
      : node(data.nodes.size()),
        package(data.packages),
        cache(data.caches.size()),
        core(data.cores.size()) {}
  std::vector<std::size_t> node, package, cache, core;
};

class orderer {
 public:
  orderer(const machine::data& data, const std::vector<seat>& seats, place_policy place)
      : data_(data), seats_(seats), place_(place), loads_(data) {
    for (std::size_t s = 0; s < seats.size(); ++s) {
      const core_data& core = data.cores[seats[s].core];
      buckets_.resize(std::max(buckets_.size(), core.cache + 1));
      buckets_[core.cache].push_back(s);
    }
    // Within a cache: fast cores first; a core's second thread after all first ones.
    std::vector<std::size_t> thread(seats.size());
    std::vector<std::size_t> seen(data.cores.size());
    for (std::size_t s = 0; s < seats.size(); ++s) thread[s] = seen[seats[s].core]++;
    thread_ = std::move(thread);
  }

  seat_order order() {
    // Fast cores before slow ones, and every core's first thread before any second one: these
    // come before the question of where.
    std::vector<std::tuple<bool, std::size_t>> classes;
    for (std::size_t s = 0; s < seats_.size(); ++s) classes.push_back(class_of(s));
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    for (const auto& wanted_class : classes) take_all(wanted_class);
    return std::move(result_);
  }

 private:
  std::tuple<bool, std::size_t> class_of(std::size_t s) const {
    return {data_.cores[seats_[s].core].kind == core_kind::efficient,
            place_ == place_policy::spread ? thread_[s] : 0};
  }

  void take_all(const std::tuple<bool, std::size_t>& wanted_class) {
    // Seats of this class by cache, in machine order; `next` walks each list.
    std::vector<std::vector<std::size_t>> open(data_.caches.size());
    std::size_t left = 0;
    for (std::size_t cache = 0; cache < buckets_.size(); ++cache) {
      for (const std::size_t s : buckets_[cache]) {
        if (class_of(s) == wanted_class) {
          open[cache].push_back(s);
          ++left;
        }
      }
    }
    std::vector<std::size_t> next(open.size());
    for (; left > 0; --left) {
      std::size_t best = open.size();
      for (std::size_t cache = 0; cache < open.size(); ++cache) {
        if (next[cache] == open[cache].size()) continue;
        if (best == open.size() || before(cache, best)) best = cache;
      }
      take(open[best][next[best]++]);
    }
  }

  // Is a seat in cache a taken before one in cache b?
  bool before(std::size_t a, std::size_t b) const {
    const core_data& ca = data_.cores[data_.caches[a].cores.front()];
    const core_data& cb = data_.cores[data_.caches[b].cores.front()];
    if (place_ == place_policy::compact) return std::tie(ca.node, a) < std::tie(cb.node, b);
    return std::tie(loads_.node[ca.node], loads_.package[ca.package], ca.node, loads_.cache[a], a) <
           std::tie(loads_.node[cb.node], loads_.package[cb.package], cb.node, loads_.cache[b], b);
  }

  void take(std::size_t s) {
    const core_data& core = data_.cores[seats_[s].core];
    const cache_data& cache = data_.caches[core.cache];
    const std::size_t node_os = data_.nodes[core.node].os_id;
    const auto number = [](std::size_t n) { return std::to_string(n); };
    std::string reason = std::string(to_string(place_)) + ": worker " +
                         number(++loads_.node[core.node]) + " on node " + number(node_os);
    ++loads_.package[core.package];
    ++loads_.cache[core.cache];
    if (cache.label != "core") {
      reason += ", " + number(loads_.cache[core.cache]) + " in " + cache.label + " group " +
                number(core.cache);
    }
    reason += std::string(", ") + kind_name(core.kind) + " " + number(seats_[s].core);
    if (const std::size_t sharing = loads_.core[seats_[s].core]++; sharing > 0) {
      reason += ", hardware thread " + number(sharing + 1) + " of it";
    }
    if (core.remote_memory) reason += ", without local memory: nearest node";
    result_.seats.push_back(s);
    result_.reasons.push_back(std::move(reason));
  }

  const machine::data& data_;
  const std::vector<seat>& seats_;
  place_policy place_;
  loads loads_;
  std::vector<std::vector<std::size_t>> buckets_;  // seats by cache
  std::vector<std::size_t> thread_;                // which of its core's seats a seat is
  seat_order result_;
};

}  // namespace

std::vector<seat> make_seats(const machine::data& data, const plan_options& options) {
  std::vector<seat> seats;
  for (std::size_t c = 0; c < data.cores.size(); ++c) {
    if (!wanted(data.cores[c].kind, options.kinds)) continue;
    std::vector<std::size_t> pus;
    for (const std::size_t p : data.cores[c].pus) {
      if (data.pus[p].allowed) pus.push_back(p);
    }
    if (pus.empty()) continue;
    if (options.smt == smt_policy::one_per_core) {
      seats.push_back({c, std::move(pus)});
    } else {
      for (const std::size_t p : pus) seats.push_back({c, {p}});
    }
  }
  return seats;
}

seat_order order_seats(const machine::data& data, const std::vector<seat>& seats,
                       const plan_options& options) {
  return orderer(data, seats, options.place).order();
}

}  // namespace nearfork::detail
