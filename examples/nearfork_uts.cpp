// nearfork-uts: counts an unbalanced tree that exists only as a function, by fork-join.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <nearfork/nearfork.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/command_line.hpp"
#include "uts/count_parallel.hpp"
#include "uts/count_serial.hpp"
#include "uts/known_trees.hpp"

namespace {

using json = nlohmann::ordered_json;

struct request {
  std::string tree_name;
  uts::parameters made_from;
  std::size_t workers = 0;
  bool serial = false;
  bool as_json = false;
};

struct outcome {
  uts::counts found;
  double seconds = 0;
  std::size_t workers = 1;
};

template <class Count>
void timed(outcome& o, Count&& count) {
  const auto start = std::chrono::steady_clock::now();
  o.found = count();
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

outcome search(const request& wanted) {
  const uts::tree tree(wanted.made_from);
  outcome o;
  if (wanted.serial) {
    timed(o, [&] { return uts::count_serial(tree); });
    return o;
  }
  nearfork::pool_options options = nearfork::pool_options::from_environment();
  if (wanted.workers != 0) {
    options.workers = wanted.workers;
  }
  nearfork::pool pool(options);
  o.workers = pool.worker_count();
  timed(o, [&] { return uts::count_parallel(tree, pool); });
  return o;
}

std::string letters(const uts::parameters& p) {
  std::string s = fmt::format("-t {} -b {} -r {}", static_cast<int>(p.t), p.b, p.r);
  if (p.t != uts::tree_kind::binomial) {
    s += fmt::format(" -a {} -d {}", static_cast<int>(p.a), p.d);
  }
  if (p.t != uts::tree_kind::geometric) {
    s += fmt::format(" -q {} -m {}", p.q, p.m);
  }
  if (p.t == uts::tree_kind::hybrid) {
    s += fmt::format(" -f {}", p.f);
  }
  return p.g == 1 ? s : s + fmt::format(" -g {}", p.g);
}

void print_json(const request& wanted, const outcome& o, std::optional<bool> as_published) {
  json j{{"nodes", o.found.nodes},
         {"leaves", o.found.leaves},
         {"depth", o.found.depth},
         {"seconds", o.seconds},
         {"nodes_per_second", static_cast<double>(o.found.nodes) / o.seconds},
         {"workers", o.workers},
         {"ranks", 1},
         {"serial", wanted.serial},
         {"tree", wanted.tree_name.empty() ? json(nullptr) : json(wanted.tree_name)},
         {"parameters", letters(wanted.made_from)},
         {"as_published", as_published ? json(*as_published) : json(nullptr)}};
  fmt::print("{}\n", j.dump(2));
}

void print_text(const request& wanted, const outcome& o, std::optional<bool> as_published) {
  fmt::print("tree      {}{}\n", wanted.tree_name.empty() ? "" : wanted.tree_name + ": ",
             letters(wanted.made_from));
  fmt::print("nodes     {}\nleaves    {}\ndepth     {}\n", o.found.nodes, o.found.leaves,
             o.found.depth);
  fmt::print("time      {:.4f} s, {:.2f} million nodes a second, {}\n", o.seconds,
             static_cast<double>(o.found.nodes) / o.seconds / 1e6,
             wanted.serial ? std::string("without forks")
                           : fmt::format("{} worker{}", o.workers, o.workers == 1 ? "" : "s"));
  if (as_published) {
    fmt::print("check     {}\n", *as_published ? "as published" : "NOT as published");
  }
}

int run(request& wanted) {
  std::optional<bool> as_published;
  const std::uint32_t granularity = wanted.made_from.g;
  std::optional<uts::known_tree> known;
  if (!wanted.tree_name.empty()) {
    known = uts::find_known_tree(wanted.tree_name);
    wanted.made_from = known->made_from;
    wanted.made_from.g = granularity;
  }
  const outcome o = search(wanted);
  if (known) {
    as_published = o.found == known->expected;
  }
  (wanted.as_json ? print_json : print_text)(wanted, o, as_published);
  if (as_published == false) {
    fmt::print(stderr, "nearfork-uts: tree {} has {} nodes, {} leaves and depth {}\n", known->name,
               known->expected.nodes, known->expected.leaves, known->expected.depth);
    return common::exit_check_failed;
  }
  return common::exit_success;
}

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  uts::parameters& p = wanted.made_from;
  int kind = static_cast<int>(p.t), shape = static_cast<int>(p.a);

  CLI::App app(
      "Counts the nodes of an unbalanced tree (Unbalanced Tree Search, Olivier et al., 2006): a "
      "tree that exists only as a function of a seed, so lopsided that no division made in advance "
      "shares it out evenly. Without a tree's name or parameters it takes the published defaults.",
      "nearfork-uts");
  app.set_version_flag("--version", "nearfork-uts " NEARFORK_VERSION);
  app.get_formatter()->column_width(22);

  std::vector<std::string> names;
  for (const uts::known_tree& k : uts::known_trees) {
    names.emplace_back(k.name);
  }
  CLI::Option* const named =
      app.add_option("--tree", wanted.tree_name,
                     "A published tree: T1 (geometric, fixed shape), T3 (binomial, 1,572 levels) "
                     "or T5 (geometric, linear); its size is checked")
          ->check(CLI::IsMember(names));

  using common::real_number;
  using common::whole_number;
  const auto number = [&](const std::string& letter, auto& value, const std::string& meaning,
                          const CLI::Validator& accepted) {
    app.add_option(letter, value, meaning)
        ->capture_default_str()
        ->check(accepted)
        ->group("Parameters of a tree")
        ->excludes(named);
  };
  number("-t", kind, "Kind: 0 binomial, 1 geometric, 2 hybrid", whole_number(0, 2));
  number("-a", shape, "Geometric shape: 0 linear, 1 exponential, 2 cyclic, 3 fixed",
         whole_number(0, 3));
  number("-b", p.b, "Branching factor at the root", real_number(0, 1e9));
  number("-d", p.d, "Depth that the geometric shape is stretched over", whole_number(1, 1'000'000));
  number("-r", p.r, "Seed of the root", whole_number(0, 0xFFFFFFFF));
  number("-q", p.q, "Binomial: probability that a node has children", real_number(0, 1));
  number("-m", p.m, "Binomial: number of children then", whole_number(0, uts::tree::most_children));
  number("-f", p.f, "Hybrid: share of the depth that is geometric", real_number(0, 1));
  app.add_option("-g", p.g, "Work a node: how often each hash is computed")
      ->capture_default_str()
      ->check(whole_number(1, 1'000'000));
  CLI::Option* const workers =
      app.add_option("--workers", wanted.workers, "Workers; without it one per allowed core")
          ->check(whole_number(1, common::most_workers));
  app.add_flag("--serial", wanted.serial, "Search without forks, to compare with")
      ->excludes(workers);
  app.add_flag("--json", wanted.as_json, "Print one JSON document");

  return common::run_command(app, argc, argv, [&] {
    p.t = static_cast<uts::tree_kind>(kind);
    p.a = static_cast<uts::tree_shape>(shape);
    return run(wanted);
  });
}
