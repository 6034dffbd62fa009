#include <algorithm>
#include <nearfork/detail/partition.hpp>
#include <stdexcept>
#include <string>

namespace nearfork::detail {
namespace {

constexpr std::size_t smallest_stripe = std::size_t{256} << 10;
// Each stripe is a mapping of its own to the kernel, which allows a process some 65,000.
constexpr std::size_t most_stripes = 1024;

/// a * b / c without overflow, for small b <= c.
std::size_t share(std::size_t a, std::size_t b, std::size_t c) { return a / c * b + a % c * b / c; }

}  // namespace

std::vector<part> make_partition(std::size_t n, std::size_t nodes, distribution how,
                                 std::size_t element_bytes, std::size_t page_bytes) {
  if (how.how == distribution::kind::on && how.node >= nodes) {
    throw std::out_of_range("nearfork: distribution on node " + std::to_string(how.node) +
                            ": the pool has nodes 0 to " + std::to_string(nodes - 1));
  }
  std::vector<part> parts;
  if (n == 0) return parts;
  if (how.how == distribution::kind::on || nodes == 1) {
    parts.push_back({0, n, how.how == distribution::kind::on ? how.node : 0});
    return parts;
  }
  const bool memory = element_bytes != 0 && page_bytes != 0;
  // The first element that begins at or after a byte position which is a page's beginning.
  const auto first_element = [&](std::size_t page_start) {
    return std::min(n, (page_start + element_bytes - 1) / element_bytes);
  };
  const std::size_t bytes = memory ? n * element_bytes : n;
  std::size_t cuts = nodes;
  std::size_t stripe = 0;
  if (how.how == distribution::kind::interleaved) {
    stripe = std::max(memory ? smallest_stripe : std::size_t{1}, bytes / most_stripes);
    if (memory) stripe = (stripe + page_bytes - 1) / page_bytes * page_bytes;
    cuts = bytes / stripe + (bytes % stripe != 0 ? 1 : 0);
  }
  std::size_t first = 0;
  for (std::size_t k = 0; k < cuts; ++k) {
    std::size_t end = stripe != 0 ? std::min(bytes, (k + 1) * stripe) : share(bytes, k + 1, cuts);
    std::size_t last = end;
    if (k + 1 == cuts) {
      last = n;
    } else if (memory) {
      end = (end + page_bytes / 2) / page_bytes * page_bytes;
      last = first_element(end);
    }
    if (last > first) parts.push_back({first, last, k % nodes});
    first = std::max(first, last);
  }
  return parts;
}

}  // namespace nearfork::detail
