#include "src/kernel_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nearfork/detail/cpu_list.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

namespace nearfork::detail {
namespace {

bool parse_number(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::vector<kernel_node> read_kernel_nodes(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<kernel_node> nodes;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    kernel_node node;
    if (!name.starts_with("node") || !parse_number(std::string_view(name).substr(4), node.os_id)) {
      continue;
    }
    node.cpus = parse_cpu_list(first_line(it->path() / "cpulist"));
    std::istringstream row(first_line(it->path() / "distance"));
    for (std::uint64_t value = 0; row >> value;) node.distances.push_back(value);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const kernel_node& a, const kernel_node& b) { return a.os_id < b.os_id; });
  for (kernel_node& node : nodes) {
    if (node.distances.size() != nodes.size()) node.distances.clear();
  }
  return nodes;
}

std::vector<std::size_t> read_offline_cpus(const std::string& folder) {
  const std::filesystem::path cpus(folder);
  if (first_line(cpus / "smt" / "control").starts_with("off")) return {};
  const std::vector<std::size_t> present = parse_cpu_list(first_line(cpus / "present"));
  const std::vector<std::size_t> online = parse_cpu_list(first_line(cpus / "online"));
  std::vector<std::size_t> offline;
  if (online.empty()) return offline;
  std::set_difference(present.begin(), present.end(), online.begin(), online.end(),
                      std::back_inserter(offline));
  return offline;
}

}  // namespace nearfork::detail
