#include "src/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace nearfork::detail {
namespace {

namespace fs = std::filesystem;

// One hierarchy: where it is mounted, and which part of it is seen there.
struct mount_point {
  bool unified = false;  // v2
  std::string root;      // the group that the mount shows as its top
  std::string folder;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool has_item(const std::string& list, std::string_view item) {
  const std::vector<std::string> items = split(list, ',');
  return std::find(items.begin(), items.end(), item) != items.end();
}

// The kernel writes blanks and backslashes in paths as \040, \134, ...
std::string unescape(const std::string& text) {
  const auto octal = [&text](std::size_t i) { return text[i] >= '0' && text[i] <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                  (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::vector<mount_point> read_mounts(const std::string& file) {
  std::vector<mount_point> mounts;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    // id parent major:minor root folder options [fields...] - type device super-options
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> left = split(line.substr(0, dash), ' ');
    const std::vector<std::string> right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.empty()) continue;
    const bool unified = right[0] == "cgroup2";
    const bool cpu = right[0] == "cgroup" && right.size() > 2 && has_item(right[2], "cpu");
    if (unified || cpu) mounts.push_back({unified, unescape(left[3]), unescape(left[4])});
  }
  return mounts;
}

// A file of whitespace-separated words; nothing when it is not there (or not readable).
std::optional<std::vector<std::string>> read_words(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::vector<std::string> words;
  // A quota file has two numbers; damage must not fill the memory.
  for (std::string word; words.size() < 4 && in >> word;) words.push_back(word.substr(0, 64));
  if (in.bad()) return std::nullopt;
  return words;
}

std::optional<long long> parse(const std::string& word) {
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

class quota_reader {
 public:
  explicit quota_reader(const cgroup_files& files) : files_(files) {}

  cpu_quota read() {
    std::vector<mount_point> mounts = read_mounts(files_.mounts);
    for (const auto& [unified, folder] :
         {std::pair{true, ""}, {false, "/cpu"}, {false, "/cpu,cpuacct"}}) {
      mounts.push_back({unified, "/", files_.conventional_root + folder});
    }
    std::ifstream in(files_.membership);
    for (std::string line; std::getline(in, line);) {
      // hierarchy:controllers:path
      const std::size_t first = line.find(':');
      const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string controllers = line.substr(first + 1, second - first - 1);
      const bool unified = controllers.empty();
      if (!unified && !has_item(controllers, "cpu")) continue;
      for (const mount_point& mount : mounts) {
        if (mount.unified == unified) walk_up(mount, line.substr(second + 1));
      }
    }
    return std::move(quota_);
  }

 private:
  // From the process' own group up to the top of the mount.
  void walk_up(const mount_point& mount, const std::string& group) {
    // Inside a container the group may be named as the host sees it, with the mount showing only
    // the container's part; or, from another namespace, as a path above what is mounted.
    fs::path relative = fs::path(group).lexically_relative(mount.root);
    if (relative.empty() || *relative.begin() == "..") relative = ".";
    const fs::path top = fs::path(mount.folder).lexically_normal();
    for (fs::path at = (top / relative).lexically_normal();; at = at.parent_path()) {
      if (!at.has_filename()) at = at.parent_path();  // "a/b/" and "a/b" are one
      visit(at, mount.unified);
      const fs::path below = at.lexically_relative(top);
      if (below == "." || below.empty() || *below.begin() == "..") break;
    }
  }

  void visit(const fs::path& folder, bool unified) {
    if (std::find(visited_.begin(), visited_.end(), folder) != visited_.end()) return;
    visited_.push_back(folder);
    unified ? read_v2(folder / "cpu.max") : read_v1(folder);
  }

  void read_v2(const fs::path& file) {
    const auto words = read_words(file);
    if (!words) return;
    if (!words->empty() && words->front() == "max") return;
    if (words->empty() || words->size() > 2) return garbage(file, *words);
    const auto quota = parse(words->front());
    const auto period = words->size() == 2 ? parse(words->back()) : 100000;
    take(file, *words, quota, period);
  }

  void read_v1(const fs::path& folder) {
    const fs::path file = folder / "cpu.cfs_quota_us";
    const auto quota_words = read_words(file);
    if (!quota_words) return;
    if (quota_words->size() != 1) return garbage(file, *quota_words);
    const auto quota = parse(quota_words->front());
    if (quota && *quota == -1) return;  // no limit
    const fs::path period_file = folder / "cpu.cfs_period_us";
    const auto period_words = read_words(period_file);
    if (!period_words) return garbage(period_file, {});
    const auto period = period_words->size() == 1 ? parse(period_words->front()) : std::nullopt;
    if (!period || *period <= 0) return garbage(period_file, *period_words);
    take(file, *quota_words, quota, period);
  }

  void take(const fs::path& file, const std::vector<std::string>& words,
            std::optional<long long> quota, std::optional<long long> period) {
    if (!quota || !period || *quota <= 0 || *period <= 0) return garbage(file, words);
    const double cpus = static_cast<double>(*quota) / static_cast<double>(*period);
    if (quota_.cpus && *quota_.cpus <= cpus) return;
    quota_.cpus = cpus;
    quota_.source = file.string();
  }

  void garbage(const fs::path& file, const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    quota_.warnings.push_back("CPU quota ignored: " + file.string() + " says '" + text +
                              "', which is no quota");
  }

  const cgroup_files& files_;
  std::vector<fs::path> visited_;
  cpu_quota quota_;
};

}  // namespace

cpu_quota read_cpu_quota(const cgroup_files& files) { return quota_reader(files).read(); }

}  // namespace nearfork::detail
