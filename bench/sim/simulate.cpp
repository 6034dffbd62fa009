#include "simulate.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <nearfork/error.hpp>
#include <queue>
#include <utility>
#include <vector>

#include "random.hpp"

namespace nearfork::sim {
namespace {

constexpr dag::node none = std::numeric_limits<dag::node>::max();

// A worker that acts at a time. At the same time workers act in the order of their indices, and
// each sees what those before it did: the order of the founding table.
using event = std::pair<ticks, std::uint32_t>;

struct worker {
  std::deque<dag::node> tasks;  // oldest at the front
  dag::node current = none;     // to be executed, or in execution
  bool finishing = false;       // current is in its last step
  // Where its search stands; a search starts anew whenever it had work.
  std::uint32_t round = 0;
  std::uint32_t group = 0;
  std::uint32_t start = 0;
  std::uint32_t offset = 0;
};

class simulation {
 public:
  simulation(const dag& job, const layout& where, const run_options& options)
      : job_(job),
        where_(where),
        options_(options),
        random_(options.seed),
        pending_(job.predecessors().begin(), job.predecessors().end()),
        workers_(where.workers()),
        remaining_(job.size()) {
    for (std::size_t r = 0; r < ring_count; ++r) {
      if (options.costs.steal[r] == 0 || options.costs.miss[r] == 0) {
        throw config_error("simulation: the cost of a steal attempt is 0; it must be above 0");
      }
    }
    if (!(options.costs.remote_penalty >= 0)) {
      throw config_error("simulation: the remote penalty is negative; it must be 0 or more");
    }
  }

  run_result run() {
    workers_[0].current = job_.root();
    for (std::uint32_t w = 0; w < workers_.size(); ++w) agenda_.emplace(0, w);
    // Idle workers go on trying until the last node has ended.
    while (remaining_ > 0 || agenda_.top().first < result_.time) {
      const auto [now, w] = agenda_.top();
      agenda_.pop();
      act(now, w);
    }
    return result_;
  }

 private:
  void act(ticks now, std::uint32_t w) {
    worker& me = workers_[w];
    if (me.finishing) {
      me.finishing = false;
      enable_successors(w);
      schedule(now, ticks_per_step, w);
      return;
    }
    if (me.current == none && !me.tasks.empty()) {
      me.current = me.tasks.back();
      me.tasks.pop_back();
    }
    if (me.current != none) {
      execute(now, w);
    } else if (workers_.size() > 1) {
      attempt(now, w);
    }
    // A lone worker without work has nothing to come back for: the job is done.
  }

  // What a node makes ready is there for others in the node's last step, as in the model of unit
  // nodes, where executing and enabling are one step.
  void execute(ticks now, std::uint32_t w) {
    worker& me = workers_[w];
    const ticks d = duration(me.current, where_.node_of[w]);
    result_.busy += d;
    result_.time = std::max(result_.time, now + d);
    if (d > ticks_per_step) {
      me.finishing = true;
      schedule(now, d - ticks_per_step, w);
    } else {
      enable_successors(w);
      schedule(now, d, w);
    }
  }

  void enable_successors(std::uint32_t w) {
    worker& me = workers_[w];
    const auto successors = job_.successors(me.current);
    me.current = none;
    me.round = me.group = me.offset = 0;
    --remaining_;
    // The first one enabled is gone on with; the others are pushed so that the owner gets them
    // back in their order.
    for (auto s = successors.rbegin(); s != successors.rend(); ++s) {
      if (--pending_[*s] != 0) continue;
      if (me.current != none) me.tasks.push_back(me.current);
      me.current = *s;
    }
  }

  void attempt(ticks now, std::uint32_t w) {
    const auto [v, wanted] = next_victim(w);
    const victim_group& group = where_.victims[w][where_.group_of[w][v]];
    const auto r = static_cast<std::size_t>(group.where);
    ++result_.attempts;
    ++result_.attempts_by_ring[r];
    auto& tasks = workers_[v].tasks;
    if (tasks.size() < wanted) {
      schedule(now, scaled(options_.costs.miss[r], group.scale), w);
      return;
    }
    if (options_.end == steal_end::oldest) {
      workers_[w].current = tasks.front();
      tasks.pop_front();
    } else {
      workers_[w].current = tasks.back();
      tasks.pop_back();
    }
    ++result_.steals;
    ++result_.steals_by_ring[r];
    schedule(now, scaled(options_.costs.steal[r], group.scale), w);
  }

  // Whom to try, and how many tasks it must have.
  struct choice {
    std::uint32_t victim;
    std::size_t wanted;
  };

  choice next_victim(std::uint32_t w) {
    if (options_.victims == victim_policy::random) {
      const std::uint32_t r = random_.below(static_cast<std::uint32_t>(workers_.size() - 1));
      return {r < w ? r : r + 1, 1};
    }
    constexpr std::uint32_t rounds = 9;  // the last one of which leaves nobody out
    worker& me = workers_[w];
    const victim_group& group = where_.victims[w][me.group];
    const auto size = static_cast<std::uint32_t>(group.members.size());
    const bool sweep = options_.victims == victim_policy::sweep || me.round % rounds == rounds - 1;
    if (me.offset == 0) me.start = size == 1 ? 0 : random_.below(size);
    choice c{group.members[(me.start + me.offset) % size], 1};
    if (!sweep && group.where == ring::remote) {
      c.wanted = std::max<std::size_t>(1, options_.far_tasks >> std::min(me.round, 31U));
    }
    if (++me.offset == size || !sweep) {
      me.offset = 0;
      if (++me.group == where_.victims[w].size()) {
        me.group = 0;
        ++me.round;
      }
    }
    return c;
  }

  ticks duration(dag::node v, std::uint32_t node) {
    const std::uint64_t weight = job_.weight(v);
    if (weight > std::numeric_limits<ticks>::max() / ticks_per_step) too_long();
    const ticks base = weight * ticks_per_step;
    if (options_.home == home_policy::none) return base;
    const std::uint32_t home = home_of(v);
    if (home == node) return base;
    result_.away_work += weight;
    return scaled(base, 1 + options_.costs.remote_penalty * where_.excess[node][home]);
  }

  std::uint32_t home_of(dag::node v) const {
    const auto& homes = where_.occupied;
    switch (options_.home) {
      case home_policy::block:
        return homes[std::uint64_t{v} * homes.size() / job_.size()];
      case home_policy::interleaved:
        return homes[v % homes.size()];
      case home_policy::first:
      case home_policy::none:
        break;
    }
    return where_.node_of[0];
  }

  static ticks scaled(ticks t, double factor) {
    if (factor == 1) return t;
    const double x = std::round(static_cast<double>(t) * factor);
    if (!(x < 9e18)) too_long();
    return static_cast<ticks>(x);
  }

  void schedule(ticks now, ticks in, std::uint32_t w) {
    if (in > std::numeric_limits<ticks>::max() - now) too_long();
    agenda_.emplace(now + in, w);
  }

  [[noreturn]] static void too_long() {
    throw config_error(
        "simulation: the simulated time does not fit 64 bits; use smaller weights, "
        "costs or penalties");
  }

  const dag& job_;
  const layout& where_;
  const run_options& options_;
  generator random_;
  std::vector<std::uint32_t> pending_;
  std::vector<worker> workers_;
  std::priority_queue<event, std::vector<event>, std::greater<>> agenda_;
  std::size_t remaining_;
  run_result result_;
};

}  // namespace

std::string_view to_string(steal_end e) noexcept {
  return e == steal_end::oldest ? "oldest" : "newest";
}

std::string_view to_string(victim_policy p) noexcept {
  switch (p) {
    case victim_policy::random:
      return "random";
    case victim_policy::nearest:
      return "nearest";
    case victim_policy::sweep:
      return "sweep";
  }
  return "?";
}

std::string_view to_string(home_policy p) noexcept {
  switch (p) {
    case home_policy::none:
      return "none";
    case home_policy::first:
      return "first";
    case home_policy::block:
      return "block";
    case home_policy::interleaved:
      return "interleaved";
  }
  return "?";
}

run_result simulate(const dag& job, const layout& where, const run_options& options) {
  return simulation(job, where, options).run();
}

}  // namespace nearfork::sim
