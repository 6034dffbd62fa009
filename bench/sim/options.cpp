#include "options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nearfork/error.hpp>
#include <system_error>

namespace nearfork::sim {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view value,
                         std::string_view accepted) {
  throw config_error(
      fmt::format("{}: '{}' is not accepted; accepted: {}", option, value, accepted));
}

template <class Number>
bool read(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> items;
  for (;;) {
    const auto comma = text.find(',');
    items.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view option, std::uint64_t low,
                          std::uint64_t high, std::string_view why) {
  std::uint64_t value = 0;
  if (!read(text, value) || value < low || value > high) {
    refuse(option, text, fmt::format("a whole number from {} to {}{}", low, high, why));
  }
  return value;
}

std::vector<std::size_t> parse_workers(std::string_view text, std::string_view option) {
  const auto items = split(text);
  if (items.size() > max_runs) {
    refuse(option, fmt::format("a list of {} numbers", items.size()),
           fmt::format("at most {}", max_runs));
  }
  std::vector<std::size_t> workers;
  for (const std::string_view item : items) {
    std::uint64_t value = 0;
    if (!read(item, value) || value < 1 || value > max_workers) {
      const std::string accepted =
          fmt::format("whole numbers from 1 to {}, separated by commas", max_workers);
      refuse(option, text,
             items.size() == 1 ? accepted : fmt::format("{} (wrong: '{}')", accepted, item));
    }
    workers.push_back(value);
  }
  return workers;
}

std::array<ticks, ring_count> parse_costs(std::string_view text, std::string_view option) {
  constexpr std::string_view accepted =
      "four numbers of steps from 0.001 to 1000000, separated by commas: smt,cache,node,remote";
  const auto items = split(text);
  if (items.size() != ring_count) refuse(option, text, accepted);
  std::array<ticks, ring_count> costs{};
  for (std::size_t r = 0; r < ring_count; ++r) {
    double steps = 0;
    if (!read(items[r], steps) || !(steps >= 0.001 && steps <= 1e6)) refuse(option, text, accepted);
    costs[r] = static_cast<ticks>(std::llround(steps * static_cast<double>(ticks_per_step)));
  }
  return costs;
}

double parse_penalty(std::string_view text, std::string_view option) {
  double value = 0;
  if (!read(text, value) || !(value >= 0 && value <= 1000)) {
    refuse(option, text, "a number from 0 to 1000");
  }
  return value;
}

steal_end parse_steal_end(std::string_view text, std::string_view option) {
  if (text == "oldest") return steal_end::oldest;
  if (text == "newest") return steal_end::newest;
  refuse(option, text, "oldest, newest");
}

victim_policy parse_victims(std::string_view text, std::string_view option) {
  for (const auto p : {victim_policy::random, victim_policy::nearest, victim_policy::sweep}) {
    if (text == to_string(p)) return p;
  }
  refuse(option, text, "random, nearest, sweep");
}

job_kind parse_job(std::string_view text, std::string_view option) {
  for (const auto k : {job_kind::fib, job_kind::loop, job_kind::groups, job_kind::tree}) {
    if (text == to_string(k)) return k;
  }
  refuse(option, text, "fib, loop, groups, tree");
}

home_policy parse_home_policy(std::string_view text, std::string_view option) {
  for (const auto p :
       {home_policy::none, home_policy::first, home_policy::block, home_policy::interleaved}) {
    if (text == to_string(p)) return p;
  }
  refuse(option, text, "none, first, block, interleaved");
}

}  // namespace nearfork::sim
