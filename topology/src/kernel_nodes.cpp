#include "src/kernel_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace nearfork::detail {
namespace {

// A bound on a range's length: a damaged "0-4000000000" must not fill the memory.
constexpr std::size_t longest_range = std::size_t{1} << 20;

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

std::vector<std::size_t> parse_cpu_list(const std::string& text) {
  std::vector<std::size_t> cpus;
  std::istringstream in(text);
  std::string item;
  while (std::getline(in, item, ',')) {
    while (!item.empty() && (item.back() == '\n' || item.back() == ' ')) item.pop_back();
    const std::string_view range = item;
    const std::size_t dash = range.find('-');
    std::size_t first = 0;
    std::size_t last = 0;
    if (!parse_number(range.substr(0, dash), first)) continue;
    if (dash == std::string_view::npos) {
      last = first;
    } else if (!parse_number(range.substr(dash + 1), last)) {
      continue;
    }
    if (last < first || last - first >= longest_range) continue;
    for (std::size_t cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

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

}  // namespace nearfork::detail
