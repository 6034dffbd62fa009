// nearfork-sim: predicts what a job does under work stealing, on this or another machine.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <nearfork/error.hpp>
#include <nearfork/machine.hpp>
#include <nearfork/placement.hpp>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs.hpp"
#include "options.hpp"
#include "plot.hpp"
#include "report.hpp"

namespace {

namespace sim = nearfork::sim;

// Option values as they were typed: they are read later, so that all errors look alike.
struct arguments {
  std::string n;
  std::string job = "fib";
  std::string workers;
  std::string steal = "oldest";
  std::string victims = "random";
  std::string far_tasks;
  std::string seeds = "3";
  std::vector<std::string> topology;
  std::string place = "spread";
  std::string smt = "one_per_core";
  std::string steal_cost;
  std::string miss_cost;
  std::string home = "none";
  std::string remote_penalty;
  std::string csv;
  std::string svg;
  bool json = false;
  bool check = false;
};

// What an attempt costs on a machine when the user does not say, in steps. A step stands for about
// 50 ns of work; steals between cores of real machines take 100 to 300 ns.
constexpr std::array<sim::ticks, sim::ring_count> default_steal_cost{1000, 2000, 4000, 6000};
constexpr std::array<sim::ticks, sim::ring_count> default_miss_cost{1000, 1000, 2000, 3000};

void write_file(const std::string& name, const std::string& text, const char* option) {
  std::ofstream out(name, std::ios::binary);
  if (out) out << text << std::flush;
  if (!out) {
    throw nearfork::config_error(fmt::format("{}: cannot write '{}': {}", option, name,
                                             std::strerror(errno == 0 ? EIO : errno)));
  }
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write to stdout");
  }
}

// A plan for so many workers (0: as many as the machine's cores), and its warnings, each once.
sim::layout seats(const nearfork::machine& machine, const arguments& a, std::size_t workers,
                  std::vector<std::string>& warnings) {
  nearfork::plan_options options;
  options.workers = workers;
  options.place = nearfork::parse_place_policy(a.place, "--place");
  options.smt = nearfork::parse_smt_policy(a.smt, "--smt");
  const nearfork::placement plan = nearfork::make_placement(machine, options);
  for (const std::string& warning : plan.warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) != warnings.end()) continue;
    warnings.push_back(warning);
    fmt::print(stderr, "nearfork-sim: {}\n", warning);
  }
  if (plan.workers.size() > sim::max_workers) {
    throw nearfork::config_error(
        fmt::format("--topology: '{}' has seats for {} workers, more than {}; "
                    "say fewer by --workers",
                    plan.source, plan.workers.size(), sim::max_workers));
  }
  return sim::layout_of(plan);
}

// What both commands read alike.
sim::series read_common(const arguments& a) {
  sim::series s;
  s.machine = !a.topology.empty();
  s.source = s.machine ? a.topology.front() : "flat";
  s.seeds = static_cast<unsigned>(sim::parse_count(a.seeds, "--seeds", 1, sim::max_seeds));
  s.options.end = sim::parse_steal_end(a.steal, "--steal");
  s.options.victims = sim::parse_victims(a.victims, "--victims");
  s.options.home = sim::parse_home_policy(a.home, "--home");
  if (!s.machine) {
    for (const auto& [given, name] :
         {std::pair{!a.steal_cost.empty(), "--steal-cost"},
          std::pair{!a.miss_cost.empty(), "--miss-cost"},
          std::pair{!a.remote_penalty.empty(), "--remote-penalty"},
          std::pair{a.home != "none", "--home"}, std::pair{a.place != "spread", "--place"},
          std::pair{a.smt != "one_per_core", "--smt"},
          std::pair{!a.far_tasks.empty(), "--far-tasks"}}) {
      if (given) {
        throw nearfork::config_error(fmt::format(
            "{}: means nothing without a machine; give one by --topology (an hwloc XML file or a "
            "synthetic string)",
            name));
      }
    }
    return s;
  }
  if (!a.far_tasks.empty()) {
    if (s.options.victims != sim::victim_policy::nearest) {
      throw nearfork::config_error("--far-tasks: means nothing without --victims nearest");
    }
    s.options.far_tasks =
        static_cast<std::uint32_t>(sim::parse_count(a.far_tasks, "--far-tasks", 1, 1'000'000));
  }
  if (s.options.home == sim::home_policy::none && !a.remote_penalty.empty()) {
    throw nearfork::config_error(
        "--remote-penalty: means nothing without --home first, block or interleaved");
  }
  s.options.costs.steal =
      a.steal_cost.empty() ? default_steal_cost : sim::parse_costs(a.steal_cost, "--steal-cost");
  s.options.costs.miss =
      a.miss_cost.empty() ? default_miss_cost : sim::parse_costs(a.miss_cost, "--miss-cost");
  s.options.costs.remote_penalty =
      a.remote_penalty.empty() ? 1.0 : sim::parse_penalty(a.remote_penalty, "--remote-penalty");
  return s;
}

sim::dag read_job(sim::job_kind kind, const arguments& a, sim::series& s) {
  unsigned n = usual(kind);
  if (!a.n.empty()) {
    n = static_cast<unsigned>(
        sim::parse_count(a.n, "--n", 0, largest(kind),
                         fmt::format("; {} holds its graph in memory", to_string(kind))));
  }
  sim::dag job = sim::make_job(kind, n);
  s.graph = fmt::format("{}({})", to_string(kind), n);
  s.work = job.work();
  s.span = job.span();
  return job;
}

// nearfork-sim fib and the other shapes: one job, any numbers of workers.
int run_job(sim::job_kind kind, const arguments& a) {
  sim::series s = read_common(a);
  std::vector<std::size_t> counts{1, 2, 4, 16, 64};
  if (!a.workers.empty()) counts = sim::parse_workers(a.workers, "--workers");
  const sim::dag job = read_job(kind, a, s);
  std::optional<nearfork::machine> machine;
  if (s.machine) {
    machine = nearfork::machine::from(a.topology.front());
    if (a.workers.empty()) counts = {0};
  }
  for (const std::size_t n : counts) {
    const sim::layout l = machine ? seats(*machine, a, n, s.warnings) : sim::flat_layout(n);
    s.runs.push_back(sim::measure(job, l, s.options, s.seeds));
  }
  if (!a.csv.empty()) write_file(a.csv, sim::csv_of(s), "--csv");
  if (!a.svg.empty()) write_file(a.svg, sim::svg_of(s), "--svg");
  print(a.json ? sim::json_of(s).dump(2) + "\n" : sim::text_of(s));
  return 0;
}

// nearfork-sim compare: one job on all cores of any number of machines, with random victims and
// with another policy.
int run_compare(const arguments& a) {
  sim::series common = read_common(a);
  if (common.options.victims == sim::victim_policy::random) {
    throw nearfork::config_error(
        "--victims: 'random' is what is compared with; accepted: nearest, sweep");
  }
  std::size_t workers = 0;
  if (!a.workers.empty()) workers = sim::parse_count(a.workers, "--workers", 1, sim::max_workers);
  const sim::dag job = read_job(sim::parse_job(a.job, "--job"), a, common);
  std::vector<sim::comparison> machines;
  bool hold = true;
  for (const std::string& source : a.topology) {
    sim::comparison c;
    c.source = source;
    const sim::layout l = seats(nearfork::machine::from(source), a, workers, c.warnings);
    sim::run_options random = common.options;
    random.victims = sim::victim_policy::random;
    c.random = sim::measure(job, l, random, common.seeds);
    c.candidate = sim::measure(job, l, common.options, common.seeds);
    hold = hold && (!c.several_nodes() || c.holds());
    machines.push_back(std::move(c));
  }
  if (!a.csv.empty()) write_file(a.csv, sim::csv_of(common, machines), "--csv");
  print(a.json ? sim::json_of(common, machines).dump(2) + "\n" : sim::text_of(common, machines));
  return a.check && !hold ? 1 : 0;
}

void add_common(CLI::App& command, arguments& a) {
  command.add_option("--steal", a.steal, "which task a thief takes: oldest or newest")
      ->capture_default_str();
  command
      .add_option(
          "--victims", a.victims,
          "whom a worker without work tries: random, nearest (a random one of each ring, "
          "nearest ring first, far ones only while they have many tasks) or sweep (everyone "
          "of a ring before the next)")
      ->capture_default_str();
  command.add_option(
      "--far-tasks", a.far_tasks,
      "with nearest: tasks that a remote victim must have in the first round, half as "
      "many in every further one (default 8)");
  command.add_option("--seeds", a.seeds, "average over seeds 0 to N - 1")->capture_default_str();
  command.add_option("--place", a.place,
                     "with a machine: spread or compact, where there are fewer workers than cores");
  command.add_option("--smt", a.smt, "with a machine: one_per_core or all");
  command.add_option("--steal-cost", a.steal_cost,
                     "with a machine: steps for a steal by ring, smt,cache,node,remote (default "
                     "1,2,4,6; remote grows with distance)");
  command.add_option("--miss-cost", a.miss_cost,
                     "with a machine: steps for an attempt that finds nothing (default 1,1,2,3)");
  command.add_option("--home", a.home,
                     "with a machine, where the data lies: none, first (all on the first worker's "
                     "node), block (one block a node) or interleaved (default none)");
  command.add_option(
      "--remote-penalty", a.remote_penalty,
      "with --home: a graph node whose data is at twice the local distance takes 1 + "
      "X times as long (default 1)");
  command.add_option("--csv", a.csv, "write the table to this file");
  command.add_flag("--json", a.json, "one JSON document on stdout");
  command.set_version_flag("--version", "nearfork-sim " NEARFORK_VERSION);
}

constexpr std::array kinds{std::pair{sim::job_kind::fib, "naive fib(N) in unit nodes"},
                           std::pair{sim::job_kind::loop, "a loop over 2^N elements, halved"},
                           std::pair{sim::job_kind::groups, "groups of ten tasks, nested N deep"},
                           std::pair{sim::job_kind::tree, "an unbalanced tree of 2^N subtrees"}};

int run(int argc, char** argv) {
  CLI::App app{
      "Simulates work stealing: predicted time, steals and remote traffic of a job graph."};
  app.set_version_flag("--version", "nearfork-sim " NEARFORK_VERSION);
  app.require_subcommand(1);

  std::array<arguments, kinds.size()> job_arguments;
  std::array<CLI::App*, kinds.size()> jobs{};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto [kind, what] = kinds[i];
    arguments& a = job_arguments[i];
    if (kind == sim::job_kind::fib) a.n = "20";
    CLI::App& command = *app.add_subcommand(std::string(to_string(kind)), what);
    jobs[i] = &command;
    command.add_option("--n", a.n,
                       fmt::format("N, 0 to {} (default {})", largest(kind),
                                   a.n.empty() ? std::to_string(usual(kind)) : a.n));
    command.add_option(
        "--workers", a.workers,
        "numbers of workers, separated by commas (default 1,2,4,16,64; with a machine "
        "one a core)");
    command
        .add_option("--topology", a.topology, "a machine: an hwloc XML file or a synthetic string")
        ->expected(1);
    add_common(command, a);
    command.add_option("--svg", a.svg, "write a plot to this file");
  }

  arguments a;
  a.victims = "nearest";
  a.seeds = "10";
  CLI::App& compare = *app.add_subcommand(
      "compare", "nearest-first beside random victims on machines with several nodes");
  compare
      .add_option("--topology", a.topology,
                  "the machines: hwloc XML files or synthetic strings; may be given several times")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  compare.add_option("--job", a.job, "fib, loop, groups or tree")->capture_default_str();
  compare.add_option("--n", a.n, "the job's N (default 24, 16, 5 or 10)");
  compare.add_option("--workers", a.workers, "how many workers (default: one a core)");
  add_common(compare, a);
  compare.add_flag(
      "--check", a.check,
      "exit 1 when on a machine with several nodes remote steals are more than half of "
      "those with random victims, or the time more than 1.03 times as long");
  // CLI11 would say no more than that a command is missing.
  if (argc > 1 && argv[1][0] != '-') {
    const auto commands = app.get_subcommands({});
    const bool known = std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
      return command->get_name() == argv[1];
    });
    if (!known) {
      throw nearfork::config_error(fmt::format(
          "'{}' is not a command; accepted: fib, loop, groups, tree, compare", argv[1]));
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (jobs[i]->parsed()) return run_job(kinds[i].first, job_arguments[i]);
  }
  return run_compare(a);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const nearfork::config_error& error) {
    fmt::print(stderr, "nearfork-sim: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "nearfork-sim: out of memory; use fewer workers or a smaller graph\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "nearfork-sim: {}\n", error.what());
  }
  return 2;
}
