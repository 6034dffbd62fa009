#include "report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace nearfork::sim {
namespace {

using nlohmann::ordered_json;

double steps(ticks t) { return static_cast<double>(t) / static_cast<double>(ticks_per_step); }

std::string list_of(const std::array<ticks, ring_count>& costs) {
  return fmt::format("{:g},{:g},{:g},{:g}", steps(costs[0]), steps(costs[1]), steps(costs[2]),
                     steps(costs[3]));
}

// A field of a CSV line, quoted where it must be.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string model_lines(const series& s) {
  std::string out =
      fmt::format("{}: work {}, span {}, parallelism {:.1f}\n", s.graph, s.work, s.span,
                  s.span == 0 ? 0 : static_cast<double>(s.work) / static_cast<double>(s.span));
  if (!s.machine) {
    out += "no machine: an attempt takes one step, with every victim alike\n";
    return out;
  }
  out += fmt::format(
      "steps for a steal {} and for an attempt that finds nothing {} "
      "(smt,cache,node,remote)\n",
      list_of(s.options.costs.steal), list_of(s.options.costs.miss));
  if (s.options.home != home_policy::none) {
    out +=
        fmt::format("data: {}; a graph node at twice the local distance takes {:g} times as long\n",
                    to_string(s.options.home), 1 + s.options.costs.remote_penalty);
  }
  return out;
}

ordered_json by_ring(const std::array<double, ring_count>& counts) {
  ordered_json j = ordered_json::object();
  for (const ring r : all_rings) j[std::string(to_string(r))] = counts[static_cast<std::size_t>(r)];
  return j;
}

ordered_json json_of(const measurement& m, bool machine) {
  ordered_json j{{"workers", m.workers},
                 {"time", m.time},
                 {"steals", m.steals},
                 {"attempts", m.attempts},
                 {"time_min", m.shortest},
                 {"time_max", m.longest},
                 {"speedup", m.speedup()},
                 {"efficiency", m.efficiency()},
                 {"lower_bound", m.lower_bound()},
                 {"greedy_bound", m.greedy_bound()},
                 {"span_factor", m.span_factor()},
                 {"steals_per_worker_span", m.steals_per_worker_span()},
                 {"busy", m.busy}};
  if (machine) {
    j["nodes"] = m.nodes;
    j["steals_by_ring"] = by_ring(m.steals_by_ring);
    j["attempts_by_ring"] = by_ring(m.attempts_by_ring);
    j["remote_share"] = m.remote_share();
    j["away_share"] = m.away_share;
  }
  return j;
}

ordered_json json_of_model(const series& s) {
  ordered_json j{
      {"graph", s.graph},
      {"work", s.work},
      {"span", s.span},
      {"parallelism", s.span == 0 ? 0 : static_cast<double>(s.work) / static_cast<double>(s.span)},
      {"steal", to_string(s.options.end)},
      {"victims", to_string(s.options.victims)},
      {"seeds", s.seeds}};
  if (s.machine) {
    const auto costs = [](const std::array<ticks, ring_count>& c) {
      std::array<double, ring_count> in_steps{};
      for (std::size_t r = 0; r < ring_count; ++r) in_steps[r] = steps(c[r]);
      return by_ring(in_steps);
    };
    j["steal_cost"] = costs(s.options.costs.steal);
    j["miss_cost"] = costs(s.options.costs.miss);
    if (s.options.victims == victim_policy::nearest) j["far_tasks"] = s.options.far_tasks;
    j["home"] = to_string(s.options.home);
    j["remote_penalty"] = s.options.costs.remote_penalty;
  }
  return j;
}

std::string_view verdict(const comparison& c) {
  if (!c.several_nodes()) return "one node: nothing to compare";
  return c.holds() ? "holds" : c.remote_ratio() > 0.5 ? "misses: remote steals" : "misses: time";
}

}  // namespace

std::string text_of(const series& s) {
  std::string out = model_lines(s);
  if (s.machine) out += fmt::format("machine: {}\n", s.source);
  out += fmt::format(
      "thieves take the {} task, {} victims; averages over {} seed{}, times in steps\n\n",
      to_string(s.options.end), to_string(s.options.victims), s.seeds, s.seeds == 1 ? "" : "s");
  out += fmt::format("{:>7} {:>10} {:>8} {:>6} {:>12} {:>10} {:>6} {:>9} {:>10}", "workers", "time",
                     "speed-up", "eff.", "lower bound", "W/P + S", "c", "steals", "attempts");
  if (s.machine) {
    out += fmt::format(" | {:>5} {:>7} {:>7} {:>7} {:>7} {:>8} {:>6}", "nodes", "smt", "cache",
                       "node", "remote", "remote %", "away %");
  }
  out += '\n';
  for (const measurement& m : s.runs) {
    out += fmt::format(
        "{:>7} {:>10.0f} {:>8.2f} {:>6.2f} {:>12.0f} {:>10.0f} {:>6.2f} {:>9.0f} {:>10.0f}",
        m.workers, m.time, m.speedup(), m.efficiency(), m.lower_bound(), m.greedy_bound(),
        m.span_factor(), m.steals, m.attempts);
    if (s.machine) {
      out += fmt::format(" | {:>5}", m.nodes);
      for (const double count : m.steals_by_ring) out += fmt::format(" {:>7.0f}", count);
      out += fmt::format(" {:>8.1f} {:>6.1f}", 100 * m.remote_share(), 100 * m.away_share);
    }
    out += '\n';
  }
  out +=
      "\nlower bound: the larger of work/P and span, no schedule is faster. W/P + S: a greedy\n"
      "schedule is at most as long. c: time = work/P + c span.\n";
  return out;
}

ordered_json json_of(const series& s) {
  ordered_json j = json_of_model(s);
  j["machine"] = s.machine ? ordered_json(s.source) : ordered_json(nullptr);
  j["warnings"] = s.warnings;
  j["runs"] = ordered_json::array();
  for (const measurement& m : s.runs) j["runs"].push_back(json_of(m, s.machine));
  return j;
}

std::string csv_of(const series& s) {
  std::string out =
      "graph,machine,steal,victims,home,seeds,workers,nodes,time,time_min,time_max,speedup,"
      "efficiency,lower_bound,greedy_bound,span_factor,steals,attempts,steals_smt,steals_cache,"
      "steals_node,steals_remote,remote_share,away_share\r\n";
  for (const measurement& m : s.runs) {
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", field(s.graph),
                       field(s.source), to_string(s.options.end), to_string(s.options.victims),
                       to_string(s.options.home), s.seeds, m.workers, m.nodes, m.time, m.shortest,
                       m.longest, m.speedup(), m.efficiency(), m.lower_bound(), m.greedy_bound(),
                       m.span_factor(), m.steals, m.attempts);
    // Without a machine there are no rings; empty fields rather than zeros that were not measured.
    for (const double count : m.steals_by_ring) {
      out += ',';
      if (s.machine) fmt::format_to(std::back_inserter(out), "{}", count);
    }
    out += s.machine ? fmt::format(",{},{}\r\n", m.remote_share(), m.away_share) : ",,\r\n";
  }
  return out;
}

std::string text_of(const series& common, const std::vector<comparison>& machines) {
  std::string out = model_lines(common);
  out += fmt::format(
      "thieves take the {} task; averages over {} seed{}, times in steps; wanted: remote "
      "steals at most 0.5 times, time at most 1.03 times random's\n",
      to_string(common.options.end), common.seeds, common.seeds == 1 ? "" : "s");
  for (const comparison& c : machines) {
    out += fmt::format("\n{}: {} workers on {} node{}\n", c.source, c.random.workers,
                       c.random.nodes, c.random.nodes == 1 ? "" : "s");
    out += fmt::format("  {:<9} {:>10} {:>8} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>6}\n",
                       "victims", "time", "speed-up", "W/P + S", "steals", "smt", "cache", "node",
                       "remote", "remote %", "away %");
    for (const auto& [name, m] :
         {std::pair<std::string_view, const measurement&>{"random", c.random},
          {to_string(common.options.victims), c.candidate}}) {
      out += fmt::format("  {:<9} {:>10.1f} {:>8.2f} {:>8.0f} {:>8.1f}", name, m.time, m.speedup(),
                         m.greedy_bound(), m.steals);
      for (const double count : m.steals_by_ring) out += fmt::format(" {:>7.1f}", count);
      out += fmt::format(" {:>8.1f} {:>6.1f}\n", 100 * m.remote_share(), 100 * m.away_share);
    }
    out += fmt::format("  {} / random: remote steals {:.3f}, time {:.4f}: {}\n",
                       to_string(common.options.victims), c.remote_ratio(), c.time_ratio(),
                       verdict(c));
  }
  return out;
}

ordered_json json_of(const series& common, const std::vector<comparison>& machines) {
  ordered_json j = json_of_model(common);
  j["machines"] = ordered_json::array();
  for (const comparison& c : machines) {
    j["machines"].push_back({{"machine", c.source},
                             {"workers", c.random.workers},
                             {"nodes", c.random.nodes},
                             {"random", json_of(c.random, true)},
                             {"candidate", json_of(c.candidate, true)},
                             {"remote_ratio", c.remote_ratio()},
                             {"time_ratio", c.time_ratio()},
                             {"several_nodes", c.several_nodes()},
                             {"holds", c.holds()},
                             {"warnings", c.warnings}});
  }
  return j;
}

std::string csv_of(const series& common, const std::vector<comparison>& machines) {
  std::string out =
      "graph,machine,steal,victims,home,seeds,workers,nodes,time_random,time_candidate,time_ratio,"
      "remote_steals_random,remote_steals_candidate,remote_ratio,steals_random,steals_candidate,"
      "holds\r\n";
  for (const comparison& c : machines) {
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", field(common.graph),
        field(c.source), to_string(common.options.end), to_string(common.options.victims),
        to_string(common.options.home), common.seeds, c.random.workers, c.random.nodes,
        c.random.time, c.candidate.time, c.time_ratio(), c.random.remote_steals(),
        c.candidate.remote_steals(), c.remote_ratio(), c.random.steals, c.candidate.steals,
        c.several_nodes() ? (c.holds() ? "yes" : "no") : "one node");
  }
  return out;
}

}  // namespace nearfork::sim
