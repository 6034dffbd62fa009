#include <fcntl.h>
#include <numaif.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <map>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/verify.hpp>
#include <nearfork/detail/warn.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "numa_files.hpp"

namespace nearfork::detail {

namespace {

constexpr std::size_t batch = 512;
using statuses = std::array<int, batch>;

/// The pages that a range overlaps.
struct page_range {
  std::uintptr_t first;
  std::size_t count;
};

page_range pages_of(const void* data, std::size_t bytes) {
  const std::size_t page = page_bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = address / page * page;
  if (bytes == 0) return {first, 0};
  return {first, (address + bytes - first + page - 1) / page};
}

/// Asks where pages are, at most a batch of them. False: the kernel does not tell this process.
bool query(std::uintptr_t first, std::size_t count, statuses& status) noexcept {
  static std::atomic<bool> refused{false};
  if (refused.load(std::memory_order_relaxed)) return false;
  std::array<void*, batch> pages;
  for (std::size_t i = 0; i < count; ++i)
    pages[i] = reinterpret_cast<void*>(first + i * page_bytes());
  if (move_pages(0, count, pages.data(), nullptr, status.data(), 0) >= 0) return true;
  const int error = errno;
  if (error == EPERM || error == ENOSYS || error == EACCES) {
    refused.store(true, std::memory_order_relaxed);
    try {
      warn_once("move_pages", "the system does not tell on which node memory is (move_pages: " +
                                  std::generic_category().message(error) +
                                  "); statistics count nothing as verified");
    } catch (const std::bad_alloc&) {
      warn_once("move_pages", "the system does not tell on which node memory is (move_pages)");
    }
  }
  return false;
}

class pagemap {
 public:
  pagemap() : fd_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  pagemap(const pagemap&) = delete;
  pagemap& operator=(const pagemap&) = delete;
  ~pagemap() {
    if (fd_ >= 0) close(fd_);
  }
  /// Whether the page has memory or swap; nothing when the file cannot be read.
  std::optional<bool> present(std::uintptr_t address) const {
    std::uint64_t entry = 0;
    const auto offset = static_cast<off_t>(address / page_bytes() * sizeof entry);
    if (fd_ < 0 || pread(fd_, &entry, sizeof entry, offset) != sizeof entry) return std::nullopt;
    return (entry >> 62) != 0;  // bit 63: in memory, bit 62: swapped out
  }

 private:
  int fd_;
};

/// A read that other threads' writes do not make a reported race: the value is not used.
__attribute__((no_sanitize("thread"), no_sanitize("address"), noinline)) void read_touch(
    std::uintptr_t address) {
  [[maybe_unused]] const char c = *reinterpret_cast<const volatile char*>(address);
}

void count(placement_report& report, std::map<std::size_t, std::size_t>& nodes, std::size_t node,
           std::size_t pages) {
  (node == report.node_os_id ? report.on_node : report.elsewhere) += pages;
  nodes[node] += pages;
}

/// A page about which move_pages has no answer.
void second_thoughts(placement_report& report, std::map<std::size_t, std::size_t>& nodes,
                     const pagemap& map, std::uintptr_t address, int answer) {
  if (!map.present(address).value_or(answer != -ENOENT)) {
    ++report.untouched;
    return;
  }
  read_touch(address);
  statuses again;
  again[0] = -EFAULT;
  if (query(address, 1, again) && again[0] >= 0)
    count(report, nodes, static_cast<std::size_t>(again[0]), 1);
  else if (again[0] == -EFAULT)
    ++report.untouched;  // still none of its own: the shared page of zeros, read but never written
  else
    ++report.unknown;
}

bool from_move_pages(placement_report& report, std::map<std::size_t, std::size_t>& nodes,
                     page_range range) {
  const pagemap map;
  statuses status;
  for (std::size_t at = 0; at < range.count; at += batch) {
    const std::size_t n = std::min(batch, range.count - at);
    const std::uintptr_t first = range.first + at * page_bytes();
    if (!query(first, n, status)) return false;
    for (std::size_t i = 0; i < n; ++i) {
      if (status[i] >= 0)
        count(report, nodes, static_cast<std::size_t>(status[i]), 1);
      else
        second_thoughts(report, nodes, map, first + i * page_bytes(), status[i]);
    }
  }
  return true;
}

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::uint64_t number(std::string_view text, int base, std::size_t& used) {
  std::uint64_t n = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), n, base);
  used = static_cast<std::size_t>(result.ptr - text.data());
  return n;
}

/// Pages of each node in one line of numa_maps ("7f00 prefer:1 anon=16 N0=4 N1=12 ...").
std::map<std::size_t, std::size_t> nodes_of(std::string_view line) {
  std::map<std::size_t, std::size_t> nodes;
  std::size_t page_kib = page_bytes() / 1024;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    std::size_t used = 0;
    if (word.size() > 2 && word[0] == 'N' && word[1] >= '0' && word[1] <= '9') {
      const auto node = number(word.substr(1), 10, used);
      if (used + 2 < word.size()) nodes[node] = number(word.substr(used + 2), 10, used);
    } else if (constexpr std::string_view key = "kernelpagesize_kB="; word.starts_with(key)) {
      page_kib = number(word.substr(key.size()), 10, used);
    }
  }
  for (auto& [node, pages] : nodes) pages = pages * page_kib * 1024 / page_bytes();
  return nodes;
}

/// The pages of one mapping that lie in the range.
struct part {
  std::size_t pages = 0;
  std::size_t present = 0;  ///< as pagemap says
  bool counted = true;      ///< pagemap could be read
  bool whole = false;       ///< the range covers all of the mapping
};

/// Sorts them. numa_maps has sums for whole mappings: they answer for a part when all of the
/// mapping's memory is on one node, or when the part is the whole.
void count_part(placement_report& report, std::map<std::size_t, std::size_t>& nodes,
                const std::map<std::size_t, std::size_t>& of_mapping, part p) {
  std::size_t told = 0;
  for (const auto& [node, n] : of_mapping) told += n;
  if (!p.counted && told != 0 && !p.whole) {
    report.unknown += p.pages;
    return;
  }
  if (p.whole || told == 0) {
    for (const auto& [node, n] : of_mapping) count(report, nodes, node, n);
    report.untouched += p.pages - std::min(p.pages, told);
    return;
  }
  if (of_mapping.size() == 1)
    count(report, nodes, of_mapping.begin()->first, p.present);
  else
    report.unknown += p.present;
  report.untouched += p.pages - p.present;
}

bool from_numa_maps(placement_report& report, std::map<std::size_t, std::size_t>& nodes,
                    page_range range) {
  // numa_maps names where mappings start, maps also where they end.
  const std::string maps = read_text("/proc/self/maps");
  const std::string numa_maps = read_text("/proc/self/numa_maps");
  if (maps.empty() || numa_maps.empty()) return false;
  std::map<std::uint64_t, std::string_view> lines;
  for (std::string_view rest = numa_maps; !rest.empty();) {
    const auto line = next_line(rest);
    std::size_t used = 0;
    const auto start = number(line, 16, used);
    lines[start] = line.substr(std::min(used + 1, line.size()));
  }
  const pagemap map;
  const std::uint64_t last = range.first + range.count * page_bytes();
  std::size_t seen = 0;
  for (std::string_view rest = maps; !rest.empty();) {
    const auto line = next_line(rest);
    std::size_t used = 0;
    const auto start = number(line, 16, used);
    const auto end = number(line.substr(std::min(used + 1, line.size())), 16, used);
    const auto from = std::max<std::uint64_t>(start, range.first);
    const auto to = std::min<std::uint64_t>(end, last);
    if (from >= to) continue;
    part p;
    p.pages = (to - from) / page_bytes();
    p.whole = from == start && to == end;
    for (auto address = from; address < to; address += page_bytes()) {
      const auto present = map.present(address);
      if (present.value_or(false)) ++p.present;
      p.counted = p.counted && present.has_value();
    }
    seen += p.pages;
    if (const auto found = lines.find(start); found != lines.end())
      count_part(report, nodes, nodes_of(found->second), p);
    else
      report.unknown += p.pages;
  }
  report.unknown += range.count - seen;  // mapped or unmapped by others meanwhile
  return true;
}

}  // namespace

placement_report verify_pages(const void* data, std::size_t bytes, std::size_t node_os_id) {
  placement_report report;
  report.node_os_id = node_os_id;
  const auto range = pages_of(data, bytes);
  report.pages = range.count;
  if (range.count == 0) return report;
  std::map<std::size_t, std::size_t> nodes;
  if (from_move_pages(report, nodes, range)) {
    report.source = placement_source::move_pages;
  } else {
    report = {};
    report.node_os_id = node_os_id;
    report.pages = range.count;
    nodes.clear();
    if (from_numa_maps(report, nodes, range))
      report.source = placement_source::numa_maps;
    else
      report.unknown = range.count;
  }
  report.by_node.assign(nodes.begin(), nodes.end());
  return report;
}

quick_look look_at_pages(const void* data, std::size_t bytes, std::size_t node_os_id) noexcept {
  quick_look seen;
  const auto range = pages_of(data, bytes);
  statuses status;
  for (std::size_t at = 0; at < range.count; at += batch) {
    const std::size_t n = std::min(batch, range.count - at);
    if (!query(range.first + at * page_bytes(), n, status)) return seen;
    for (std::size_t i = 0; i < n; ++i) {
      if (status[i] < 0) continue;
      ++(static_cast<std::size_t>(status[i]) == node_os_id ? seen.on_node : seen.elsewhere);
    }
  }
  if (seen.elsewhere != 0)
    warn_once(
        "elsewhere",
        "some memory is on another node than the one asked for (full, or not to be bound to); "
        "see the bytes elsewhere in the statistics");
  return seen;
}

}  // namespace nearfork::detail
