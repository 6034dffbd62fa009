#include "trace.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include "sites.hpp"

namespace nearfork::model {

namespace {

std::string value_text(std::uint64_t value, value_info info, const region& space) {
  switch (info.type) {
    case value_type::boolean:
      return value ? "true" : "false";
    case value_type::signed_integer: {
      const unsigned shift = 64u - 8u * info.bytes;
      return std::to_string(static_cast<std::int64_t>(value << shift) >> shift);
    }
    case value_type::pointer: {
      if (value == 0) return "null";
      std::ostringstream out;
      const auto* p = reinterpret_cast<const void*>(value);
      if (space.contains(p)) {
        const region::place at = space.describe(p);
        out << (at.stack ? "stack" : "heap") << at.thread << "+" << at.offset;
      } else {
        out << "0x" << std::hex << value;
      }
      return out.str();
    }
    case value_type::unsigned_integer:
      break;
  }
  return std::to_string(value);
}

/// Lines of source files, read once; empty where the file is not there.
std::string source_line(const call_site& site) {
  static std::map<std::string, std::vector<std::string>> files;
  auto [it, fresh] = files.try_emplace(site.file);
  if (fresh) {
    std::ifstream in(site.file);
    for (std::string line; std::getline(in, line);) it->second.push_back(line);
  }
  if (site.line == 0 || site.line > it->second.size()) return "";
  std::string text = it->second[site.line - 1];
  text.erase(0, text.find_first_not_of(" \t"));
  return text;
}

std::string action(const event& e, const region& space) {
  const auto show = [&](std::uint64_t v) { return value_text(v, e.info, space); };
  std::string text;
  switch (e.kind) {
    case op::load:
      text = "load " + std::string(name_of(e.order)) + " = " + show(e.value);
      break;
    case op::store:
      text = "store " + std::string(name_of(e.order)) + " " + show(e.wrote);
      break;
    case op::modify:
      text = std::string(name_of(e.function)) + " " + name_of(e.order) + " " + show(e.value) +
             " -> " + show(e.wrote);
      break;
    case op::compare_exchange:
      text = "compare_exchange " + std::string(name_of(e.order)) + " expected " + show(e.expected) +
             ", " + (e.success ? "-> " + show(e.wrote) : "found " + show(e.value) + ", fails");
      break;
    case op::fence:
      text = "fence " + std::string(name_of(e.order));
      break;
    case op::futex_wait:
      text = "futex_wait on " + show(e.expected) +
             (e.success ? ", falls asleep" : ", returns, found " + show(e.value));
      break;
    case op::futex_wake:
      text = "futex_wake, woken: " + std::to_string(e.value);
      break;
    case op::flush:
      text = "store buffer drains: " + show(e.wrote);
      break;
    case op::deliver:
      text = "heavy barrier of thread " + std::to_string(e.other) + " arrives";
      break;
    case op::allocate:
    case op::deallocate:
      text = std::string(name_of(e.kind)) + " " + std::to_string(e.wrote) + " bytes at " +
             value_text(e.value, {value_type::pointer, 8}, space);
      break;
    default:
      text = name_of(e.kind);
      break;
  }
  if (e.newer > 0) {
    const bool wrote = e.kind == op::store || e.kind == op::modify ||
                       (e.kind == op::compare_exchange && e.success);
    text += (wrote ? " (goes before " : " (stale: ") + std::to_string(e.newer) + " newer)";
  }
  return text;
}

}  // namespace

std::string describe(const trace& events, const memory& m,
                     const std::vector<std::string>& thread_names) {
  std::vector<std::array<std::string, 5>> rows;
  rows.push_back({"step", "thread", "place", "operation", "source"});
  std::size_t number = 0;
  for (const event& e : events) {
    const call_site& site = sites()[e.site];
    std::string what = action(e, m.space());
    if (e.location != no_location) {
      const region::place at = m.space().describe(m.address(e.location));
      what += std::string("  [") + (at.stack ? "stack" : "heap") + std::to_string(at.thread) + "+" +
              std::to_string(at.offset) + "]";
    }
    rows.push_back({std::to_string(++number), thread_names[e.thread],
                    e.site == 0 ? "" : site.place(), what, e.site == 0 ? "" : source_line(site)});
  }
  std::array<std::size_t, 4> width{};
  for (const auto& row : rows)
    for (std::size_t c = 0; c < width.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < width.size(); ++c) {
      line += row[c];
      line.append(width[c] - row[c].size() + 2, ' ');
    }
    line += row[4];
    line.erase(line.find_last_not_of(' ') + 1);
    text += "  " + line + "\n";
  }
  return text;
}

}  // namespace nearfork::model
