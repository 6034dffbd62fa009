// nearfork-topo: what machine this is, which of it is ours, and who would sit where.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <nearfork/detail/plan_environment.hpp>
#include <nearfork/error.hpp>
#include <nearfork/machine.hpp>
#include <nearfork/placement.hpp>
#include <optional>
#include <string>

#include "topo_report.hpp"

namespace {

using namespace nearfork;

constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

struct arguments {
  std::optional<std::string> topology, workers, bind, place, smt, kinds, steal;
  bool json = false;
};

void add_options(CLI::App& app, arguments& a) {
  app.add_option("--topology", a.topology,
                 "hwloc XML file or synthetic string, planned whole (default: this machine)")
      ->type_name("XML|SYNTHETIC");
  app.add_option("--workers", a.workers,
                 "number of workers; 0: one per allowed core, capped by "
                 "the CPU quota")
      ->type_name("N");
  app.add_option("--bind", a.bind, "bind workers to: core, pu, cache, node or none")
      ->type_name("P");
  app.add_option("--place", a.place, "which cores, when workers are fewer: spread or compact")
      ->type_name("P");
  app.add_option("--smt", a.smt, "one_per_core, or all hardware threads")->type_name("P");
  app.add_option("--kinds", a.kinds, "kinds of core to use: all, performance or efficient")
      ->type_name("K");
  app.add_option("--steal", a.steal, "victims: nearest or random")->type_name("S");
  app.add_flag("--json", a.json, "one JSON document instead of text");
  app.footer(
      "Defaults come from NEARFORK_TOPOLOGY, NEARFORK_WORKERS, NEARFORK_BIND, NEARFORK_PLACE,\n"
      "NEARFORK_SMT, NEARFORK_KINDS and NEARFORK_STEAL; options win.\n"
      "Exit status: 0 success, 1 failure, 2 bad usage or input.");
}

// An option that is given hides its variable, so that a bad value there does no harm.
template <class Value, class Parser>
void choose(Value& value, const std::optional<std::string>& option, const char* option_name,
            const char* variable, Parser parser) {
  if (option) {
    value = parser(*option, option_name);
  } else if (const auto text = detail::environment_value(variable)) {
    value = parser(*text, variable);
  }
}

plan_options options_from(const arguments& a) {
  plan_options options;
  choose(options.workers, a.workers, "--workers", "NEARFORK_WORKERS", detail::parse_workers);
  choose(options.bind, a.bind, "--bind", "NEARFORK_BIND", parse_bind_policy);
  choose(options.place, a.place, "--place", "NEARFORK_PLACE", parse_place_policy);
  choose(options.smt, a.smt, "--smt", "NEARFORK_SMT", parse_smt_policy);
  choose(options.kinds, a.kinds, "--kinds", "NEARFORK_KINDS", parse_core_kinds);
  choose(options.steal, a.steal, "--steal", "NEARFORK_STEAL", parse_steal_policy);
  return options;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  }
}

int run(const arguments& a) {
  const plan_options options = options_from(a);
  const machine m =
      a.topology ? machine::from(*a.topology, "--topology") : machine::from_environment();
  const placement plan = make_placement(m, options);
  print(a.json ? tools::plan_as_json(m, options, plan) : tools::plan_as_text(m, options, plan));
  return 0;
}

int complain(const char* message, int code) {
  std::fprintf(stderr, "nearfork-topo: %s\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // hwloc writes pages about odd machines to stderr; what matters of it is in the warnings.
  ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
  try {
    CLI::App app("Shows the machine and the plan of a pool: who sits where, and why.",
                 "nearfork-topo");
    app.set_version_flag("--version", "nearfork-topo " NEARFORK_VERSION);
    arguments a;
    add_options(app, a);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);
      complain(e.what(), exit_bad_input);
      return complain("see nearfork-topo --help", exit_bad_input);
    }
    return run(a);
  } catch (const config_error& e) {
    return complain(e.what(), exit_bad_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", exit_failed);
  } catch (const std::exception& e) {
    return complain(e.what(), exit_failed);
  }
}
