/// \file
/// The CPU quota of the control groups around this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nearfork::detail {

/// Where the kernel's files are; other places in tests.
struct cgroup_files {
  std::string membership = "/proc/self/cgroup";
  std::string mounts = "/proc/self/mountinfo";
  /// Looked at as well, for sandboxes whose mounts are not to be seen.
  std::string conventional_root = "/sys/fs/cgroup";
};

/// The tightest quota found.
struct cpu_quota {
  std::optional<double> cpus;  ///< nothing: no limit
  std::string source;          ///< the file with the tightest limit
  std::vector<std::string> warnings;
};

/// The smallest quota over the process' groups and all their ancestors, of cgroup v1 and v2. Files
/// that are not there mean no limit; files that cannot be understood are ignored with a warning.
/// Never throws for what it reads.
cpu_quota read_cpu_quota(const cgroup_files& files);

}  // namespace nearfork::detail
