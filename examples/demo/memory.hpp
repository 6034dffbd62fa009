/// \file
/// How much memory this process may still take, so that a workload is made smaller or refused
/// instead of the process being killed half-way.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace demo {

namespace detail {

inline std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;  // "max" is not a number: no limit
}

/// A value of /proc/meminfo or of a cgroup's memory.stat.
inline std::optional<std::uint64_t> value_of(const std::filesystem::path& file,
                                             const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key) && line.size() > key.size()) {
      std::uint64_t value = 0;
      const std::size_t digits = line.find_first_of("0123456789", key.size());
      if (digits != std::string::npos &&
          std::from_chars(line.data() + digits, line.data() + line.size(), value).ec ==
              std::errc{}) {
        return value;
      }
    }
  }
  return std::nullopt;
}

/// What one control group leaves, if it sets a limit. Cached file pages can be given back.
inline std::optional<std::uint64_t> left_in_group(const std::filesystem::path& group) {
  struct names {
    const char *limit, *used, *cached;
  };
  for (const names& n :
       {names{"memory.max", "memory.current", "inactive_file "},
        names{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "}}) {
    const auto limit = number_in(group / n.limit);
    const auto used = number_in(group / n.used);
    if (limit && used) {
      const std::uint64_t cached = value_of(group / "memory.stat", n.cached).value_or(0);
      const std::uint64_t fixed = *used - std::min(*used, cached);
      return *limit - std::min(*limit, fixed);
    }
  }
  return std::nullopt;
}

/// The least that this process's control group and those above it leave (versions 1 and 2).
inline std::uint64_t left_in_groups() {
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // number:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") {
      continue;
    }
    std::filesystem::path mount = "/sys/fs/cgroup";
    if (!controllers.empty()) {
      mount /= "memory";
    }
    std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      left = std::min(left, left_in_group(mount / group).value_or(left));
      if (group.empty()) {
        break;
      }
    }
  }
  return left;
}

/// What limits on the address space leave (ulimit -v).
inline std::uint64_t left_of_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const std::uint64_t pages = number_in("/proc/self/statm").value_or(0);
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace detail

/// Bytes that can be taken without anybody being killed or refused, as far as the system tells.
inline std::uint64_t available_memory() {
  constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
  const auto kibibytes = detail::value_of("/proc/meminfo", "MemAvailable:");
  return std::min({kibibytes ? *kibibytes * 1024 : unknown, detail::left_in_groups(),
                   detail::left_of_address_space()});
}

}  // namespace demo
