#include "observe/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <nearfork/detail/plan_environment.hpp>
#include <nearfork/error.hpp>
#include <sstream>

#include "pool/warn.hpp"

namespace nearfork::detail {
namespace {

double seconds(std::chrono::nanoseconds t) { return std::chrono::duration<double>(t).count(); }

std::string list(const std::vector<std::size_t>& ids) {
  // Runs of ids as a-b, as in the kernel's own files.
  std::string s;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t j = i;
    while (j + 1 < ids.size() && ids[j + 1] == ids[j] + 1) ++j;
    if (!s.empty()) s += ',';
    s += std::to_string(ids[i]);
    if (j > i) s += '-' + std::to_string(ids[j]);
    i = j + 1;
  }
  return s;
}

std::string node_name(const placement& plan, node_index n) {
  return n < plan.nodes.size() ? std::to_string(plan.nodes[n].os_id) : std::string("-");
}

/// Quotes and escapes for JSON.
std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(c)
          << std::dec;
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

void json_counters(std::ostream& out, const worker_statistics& w) {
  const auto rings = [&](const char* name, const std::array<std::uint64_t, ring_count>& a) {
    out << ",\"" << name << "\":{";
    for (std::size_t r = 0; r < ring_count; ++r) {
      out << (r != 0 ? "," : "") << '"' << to_string(static_cast<ring>(r)) << "\":" << a[r];
    }
    out << '}';
  };
  out << "\"tasks_run\":" << w.tasks_run << ",\"tasks_spawned\":" << w.tasks_spawned;
  rings("steals", w.steals);
  rings("steal_attempts", w.steal_attempts);
  out << ",\"attempts_empty\":" << w.attempts_empty << ",\"lost_races\":" << w.lost_races
      << ",\"injected\":" << w.injected << ",\"parks\":" << w.parks << ",\"wakeups\":" << w.wakeups
      << ",\"publications\":" << w.publications << ",\"revocations\":" << w.revocations
      << ",\"busy_seconds\":" << seconds(w.time_busy)
      << ",\"searching_seconds\":" << seconds(w.time_searching)
      << ",\"parked_seconds\":" << seconds(w.time_parked)
      << ",\"to_quiet_seconds\":" << seconds(w.time_to_quiet)
      << ",\"deque_growths\":" << w.deque_growths << ",\"deque_shrinks\":" << w.deque_shrinks
      << ",\"morsels_local\":" << w.morsels_local << ",\"morsels_remote\":" << w.morsels_remote;
}

}  // namespace

void display_affinity(const placement& plan) {
  const auto value = environment_value("NEARFORK_DISPLAY_AFFINITY");
  if (!value || *value == "0") return;
  if (*value != "1") {
    throw config_error("NEARFORK_DISPLAY_AFFINITY: '" + *value +
                       "' is not accepted; accepted are 0 and 1");
  }
  std::string lines;
  for (const worker_place& w : plan.workers) {
    lines += "nearfork: worker " + std::to_string(w.id) + ": pu " + std::to_string(w.pu) +
             ", core " + std::to_string(w.core) + ", node " + node_name(plan, w.node) +
             (plan.foreign        ? std::string(", not bound (foreign topology)")
              : w.binding.empty() ? std::string(", not bound")
                                  : ", bound to " + list(w.binding)) +
             (w.reason.empty() ? std::string() : " (" + w.reason + ")") + "\n";
  }
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

std::string report_target() {
  const auto value = environment_value("NEARFORK_REPORT");
  if (!value || *value == "0") return {};
  if (*value != "1" && !value->ends_with(".json")) {
    throw config_error("NEARFORK_REPORT: '" + *value +
                       "' is not accepted; accepted are 1 (text on stderr), 0, or the name of a "
                       "file that ends in .json");
  }
  return *value;
}

std::string report_text(const placement& plan, const statistics& s) {
  std::ostringstream out;
  const worker_statistics& t = s.total;
  const double busy = seconds(t.time_busy);
  const double search = seconds(t.time_searching);
  const double parked = seconds(t.time_parked);
  const double all = std::max(busy + search + parked, 1e-9);
  out << std::fixed << std::setprecision(1);
  out << "nearfork report: " << s.workers.size() << " workers on " << plan.worker_nodes
      << (plan.worker_nodes == 1 ? " node" : " nodes") << " (" << plan.source << ")\n"
      << "  time     work " << 100 * busy / all << " %, search " << 100 * search / all
      << " %, parked " << 100 * parked / all << " %\n"
      << "  tasks    " << t.tasks_run << " run, " << t.tasks_spawned << " spawned, " << t.injected
      << " from outside\n"
      << "  steals   " << t.total_steals();
  for (std::size_t r = 0; r < ring_count; ++r) {
    out << (r == 0 ? " (" : ", ") << to_string(static_cast<ring>(r)) << ' ' << t.steals[r];
  }
  out << "), attempts " << t.total_attempts() << ", lost races " << t.lost_races << ", revocations "
      << t.revocations << '\n'
      << "  sleep    " << t.parks << " parks, " << t.wakeups << " wake-ups by workers\n"
      << "  deques   " << t.deque_growths << " growths, " << t.deque_shrinks << " shrinks, "
      << s.bytes_retired << " bytes awaiting reclamation\n"
      << "  worker   node      pu     tasks run     steals  work %\n";
  for (std::size_t i = 0; i < s.workers.size(); ++i) {
    const worker_statistics& w = s.workers[i];
    const double own =
        std::max(seconds(w.time_busy) + seconds(w.time_searching) + seconds(w.time_parked), 1e-9);
    out << "  " << std::setw(6) << i << std::setw(7)
        << (i < plan.workers.size() ? node_name(plan, plan.workers[i].node) : "-") << std::setw(8)
        << (i < plan.workers.size() ? plan.workers[i].pu : 0) << std::setw(14) << w.tasks_run
        << std::setw(11) << w.total_steals() << std::setw(8) << 100 * seconds(w.time_busy) / own
        << '\n';
  }
  return out.str();
}

std::string report_json(const placement& plan, const statistics& s) {
  std::ostringstream out;
  out << "{\"format\":\"nearfork-report\",\"version\":1,\"source\":" << quoted(plan.source)
      << ",\"worker_nodes\":" << plan.worker_nodes << ",\"bytes_retired\":" << s.bytes_retired
      << ",\"total\":{";
  json_counters(out, s.total);
  out << "},\"workers\":[";
  for (std::size_t i = 0; i < s.workers.size(); ++i) {
    out << (i != 0 ? "," : "") << "{\"id\":" << i;
    if (i < plan.workers.size()) {
      out << ",\"pu\":" << plan.workers[i].pu;
      if (plan.workers[i].node < plan.nodes.size()) {
        out << ",\"node\":" << plan.nodes[plan.workers[i].node].os_id;
      }
    }
    out << ',';
    json_counters(out, s.workers[i]);
    out << '}';
  }
  out << "],\"warnings\":[";
  for (std::size_t i = 0; i < plan.warnings.size(); ++i) {
    out << (i != 0 ? "," : "") << quoted(plan.warnings[i]);
  }
  out << "]}\n";
  return out.str();
}

void write_report(const std::string& target, const placement& plan, const statistics& s) noexcept {
  if (target.empty()) return;
  try {
    if (target == "1") {
      const std::string text = report_text(plan, s);
      std::fwrite(text.data(), 1, text.size(), stderr);
      return;
    }
    const std::string text = report_json(plan, s);
    const int file =
        open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    std::size_t done = 0;
    while (file >= 0 && done < text.size()) {
      const ssize_t n = write(file, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    const int error = errno;
    if (file >= 0) close(file);
    if (done < text.size()) {
      warn("the report cannot be written to '" + target + "': " + std::strerror(error));
    }
  } catch (...) {
    warn("out of memory while writing the report");
  }
}

}  // namespace nearfork::detail
