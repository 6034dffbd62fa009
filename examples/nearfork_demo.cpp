// nearfork-demo: shows the plan for this machine, then runs four workloads by fork-join, each
// checked against a serial run of the same algorithm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nearfork/nearfork.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "common/text.hpp"
#include "demo/memory.hpp"
#include "demo/progress.hpp"
#include "demo/report.hpp"
#include "demo/workload.hpp"
#include "demo/workloads/query.hpp"
#include "demo/workloads/quicksort.hpp"
#include "demo/workloads/triad.hpp"
#include "demo/workloads/uts.hpp"

namespace {

using demo::json;

constexpr std::uint64_t largest_size = 100'000'000'000;
constexpr std::uint64_t largest_tree = 1'000'000'000;

struct request {
  std::string what = "all";
  std::optional<std::uint64_t> size;
  std::string tree = "T1";
  std::size_t workers = 0;
  bool as_json = false;
};

/// What the command line can name.
struct kind {
  std::string name;
  std::uint64_t usual_size;
  std::uint64_t bytes_a_unit;
  std::unique_ptr<demo::workload> (*make)(const request&, std::uint64_t size);
};

template <class Workload>
std::unique_ptr<demo::workload> make(const request&, std::uint64_t size) {
  return std::make_unique<Workload>(static_cast<std::size_t>(size));
}

std::unique_ptr<demo::workload> make_tree(const request& wanted, std::uint64_t size) {
  if (wanted.size) {
    return std::make_unique<demo::uts_workload>(size);
  }
  return std::make_unique<demo::uts_workload>(*uts::find_known_tree(wanted.tree));
}

const std::vector<kind>& kinds() {
  static const std::vector<kind> all{
      {"quicksort", 40'000'000, demo::quicksort_workload::bytes_an_element,
       make<demo::quicksort_workload>},
      {"uts", 4'130'071, 0, make_tree},
      {"query", 100'000'000, demo::query_workload::bytes_a_row, make<demo::query_workload>},
      {"triad", 32'000'000, demo::triad_workload::bytes_an_element, make<demo::triad_workload>},
  };
  return all;
}

/// The size to run at: the one asked for, or the usual one, made smaller where memory is short.
/// \throws std::invalid_argument when it does not fit
std::uint64_t fitting_size(const kind& k, const request& wanted) {
  const std::uint64_t size = wanted.size.value_or(k.usual_size);
  if (k.bytes_a_unit == 0) {
    if (size > largest_tree) {
      throw std::invalid_argument(
          fmt::format("--size {} is too large for uts, accepted is 1 to {}", size, largest_tree));
    }
    return size;
  }
  const std::uint64_t budget = demo::available_memory() / 4 * 3;
  const std::uint64_t fits = budget / k.bytes_a_unit;
  if (size <= fits) {
    return size;
  }
  const std::uint64_t least = wanted.size ? size : std::max<std::uint64_t>(1, size / 100);
  if (fits < least) {
    throw std::invalid_argument(fmt::format(
        "{} with {} elements needs {}, but three quarters of the memory that is available are {}; "
        "choose a --size of at most {}",
        k.name, common::grouped(least), common::bytes(least * k.bytes_a_unit),
        common::bytes(budget), fits));
  }
  fmt::print(stderr, "nearfork-demo: {} takes {} elements instead of {}: {} of memory available\n",
             k.name, common::grouped(fits), common::grouped(size), common::bytes(budget / 3 * 4));
  return fits;
}

int run(const request& wanted) {
  std::FILE* const text = wanted.as_json ? stderr : stdout;
  const auto selected = [&](const kind& k) {
    return wanted.what == "all" || wanted.what == k.name;
  };
  for (const kind& k : kinds()) {
    if (selected(k) && wanted.size) {
      fitting_size(k, wanted);  // an impossible wish is refused before anything runs
    }
  }

  nearfork::pool_options options = nearfork::pool_options::from_environment();
  if (wanted.workers != 0) {
    options.workers = wanted.workers;
  }
  // Made before the pool, so that its thread is not bound with this one.
  demo::progress shown;
  // The serial runs on a core of the plan like the parallel ones: both without being moved around.
  options.bind_caller = options.bind != nearfork::bind_policy::none;
  nearfork::pool pool(options);
  demo::print_plan(text, pool);

  json runs = json::array();
  std::size_t wrong = 0;
  for (const kind& k : kinds()) {
    if (!selected(k)) {
      continue;
    }
    const std::uint64_t size = fitting_size(k, wanted);
    const std::unique_ptr<demo::workload> w = k.make(wanted, size);
    const demo::measured m = demo::measure(*w, k.name, pool, shown);
    demo::print_run(text, *w, m, pool.worker_count());
    runs.push_back(demo::run_json(k.name, size, *w, m, pool.worker_count()));
    wrong += m.correct ? 0 : 1;
  }
  fmt::print(text, "{} of {} workloads correct\n", runs.size() - wrong, runs.size());
  if (wanted.as_json) {
    fmt::print("{}\n", json{{"machine", demo::machine_json(pool)}, {"runs", runs}}.dump(2));
  }
  return wrong == 0 ? common::exit_success : common::exit_check_failed;
}

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  CLI::App app(
      "Shows who sits where on this machine, then runs workloads by fork-join, each checked "
      "against a serial run of the same algorithm, and reports speed-up, tasks and steals by ring.",
      "nearfork-demo");
  app.set_version_flag("--version", "nearfork-demo " NEARFORK_VERSION);
  app.get_formatter()->column_width(22);
  app.add_option("workload", wanted.what, "What to run: all, quicksort, uts, query or triad")
      ->capture_default_str()
      ->check(CLI::IsMember({"all", "quicksort", "uts", "query", "triad"}));
  CLI::Option* const size =
      app.add_option("--size", wanted.size,
                     "Elements to sort (40 million without it), rows to query (100 million), "
                     "elements of each triad array (32 million); tree nodes for uts, roughly")
          ->check(common::whole_number(1, largest_size));
  app.add_option("--tree", wanted.tree, "The published tree that uts searches")
      ->capture_default_str()
      ->check(CLI::IsMember({"T1", "T3", "T5"}))
      ->excludes(size);
  app.add_option("--workers", wanted.workers, "Workers; without it one per allowed core")
      ->check(common::whole_number(1, common::most_workers));
  app.add_flag("--json", wanted.as_json, "Print one JSON document on stdout, the rest on stderr");
  return common::run_command(app, argc, argv, [&] { return run(wanted); });
}
