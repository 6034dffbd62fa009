/// \file
/// hwloc descriptions of real machines, kept beside the checkout.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

namespace nearfork::support {

/// The folder of the descriptions. It may be absent, and a test that needs it then says so:
/// `if (shared_topologies().empty()) GTEST_SKIP() << no_shared_topologies;`
inline std::filesystem::path shared_topology_folder() {
  return std::filesystem::path(NEARFORK_TEST_SOURCE) / ".." / "shared" / "topologies";
}

/// Every XML file in it, sorted; empty when it is absent.
inline std::vector<std::filesystem::path> shared_topologies() {
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(shared_topology_folder(), absent)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline constexpr const char* no_shared_topologies =
    "the folder ../shared/topologies is not beside the checkout";

}  // namespace nearfork::support
