#include "numa_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace nearfork::detail {

namespace {

std::uint64_t leading_number(std::string_view text) {
  const auto start = text.find_first_not_of(" \t");
  std::uint64_t n = 0;
  if (start != std::string_view::npos)
    std::from_chars(text.data() + start, text.data() + text.size(), n);
  return n;
}

}  // namespace

std::string read_text(const char* path) {
  std::string text;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto n = read(fd, buffer.data(), buffer.size());
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(fd);
  return text;
}

std::optional<std::uint64_t> meminfo_bytes(const std::string& text, const char* key) {
  const auto at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  return leading_number(std::string_view(text).substr(at + std::string_view(key).size())) * 1024;
}

std::optional<std::uint64_t> available_bytes(std::size_t node_os_id) {
  const auto path = "/sys/devices/system/node/node" + std::to_string(node_os_id) + "/meminfo";
  const auto text = read_text(path.c_str());
  const auto unused = meminfo_bytes(text, "MemFree:");
  if (!unused) return std::nullopt;
  const auto total = meminfo_bytes(text, "MemTotal:").value_or(0);
  const auto droppable = meminfo_bytes(text, "Active(file):").value_or(0) +
                         meminfo_bytes(text, "Inactive(file):").value_or(0) +
                         meminfo_bytes(text, "SReclaimable:").value_or(0);
  const auto can_come = *unused + droppable / 2;
  // The kernel keeps some pages for itself (its watermarks); on small machines that is about this.
  const auto reserve = (std::uint64_t{8} << 20) + total / 64;
  return can_come > reserve ? can_come - reserve : 0;
}

std::size_t reserved_page_bytes() {
  static const auto bytes = static_cast<std::size_t>(
      meminfo_bytes(read_text("/proc/meminfo"), "Hugepagesize:").value_or(0));
  return bytes;
}

std::size_t transparent_page_bytes() {
  static const auto bytes = static_cast<std::size_t>(
      leading_number(read_text("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")));
  return bytes != 0 ? bytes : std::size_t{2} << 20;
}

}  // namespace nearfork::detail
