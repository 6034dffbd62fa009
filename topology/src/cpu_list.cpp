#include <algorithm>
#include <charconv>
#include <nearfork/detail/cpu_list.hpp>
#include <system_error>

namespace nearfork::detail {
namespace {

// A bound on a range's length: a damaged "0-4000000000" must not fill the memory.
constexpr std::size_t longest_range = std::size_t{1} << 20;

bool parse_number(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

void append_range(std::vector<std::size_t>& ids, std::string_view range) {
  const std::size_t dash = range.find('-');
  std::size_t first = 0;
  if (!parse_number(range.substr(0, dash), first)) return;
  std::size_t last = first;
  if (dash != std::string_view::npos && !parse_number(range.substr(dash + 1), last)) return;
  if (last < first || last - first >= longest_range) return;
  for (std::size_t id = first; id <= last; ++id) ids.push_back(id);
}

}  // namespace

std::vector<std::size_t> parse_cpu_list(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::vector<std::size_t> ids;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    append_range(ids, text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string format_cpu_list(std::span<const std::size_t> ids) {
  if (ids.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (i != 0) text += ',';
    text += std::to_string(ids[i]);
    if (last > i) text += '-' + std::to_string(ids[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace nearfork::detail
