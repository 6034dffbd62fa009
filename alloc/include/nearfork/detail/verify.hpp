/// \file
/// Where pages really are.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace nearfork::detail {

/// How a report was come by.
enum class placement_source {
  none,        ///< the kernel told nothing
  move_pages,  ///< asked page by page
  numa_maps,   ///< read from /proc/self/numa_maps: move_pages is refused here
};

/// Where the pages of a range are. Counts are of ordinary pages, also where they are huge.
struct placement_report {
  std::size_t node_os_id = 0;  ///< the node they were expected on
  std::size_t pages = 0;       ///< all of the range; the sum of the four below
  std::size_t on_node = 0;
  std::size_t elsewhere = 0;
  std::size_t untouched = 0;  ///< no memory yet (never written)
  std::size_t unknown = 0;    ///< present, but nobody would say where
  std::vector<std::pair<std::size_t, std::size_t>> by_node;  ///< (os id, pages), ascending
  placement_source source = placement_source::none;

  /// Whether every page that has memory is known to be on the node.
  bool all_on_node() const noexcept { return elsewhere == 0 && unknown == 0; }
};

/// Looks at every page that [\p data, data + bytes) overlaps. The range must be readable; other
/// threads may use it meanwhile. Thread-safe. About 0.1 us a page.
///
/// The kernel's answers are not taken at their word. move_pages says -ENOENT or -EFAULT for pages
/// without memory, and -EFAULT also for present ones that automatic NUMA balancing has just made
/// inaccessible to watch them; /proc/self/pagemap tells the two apart, and a read brings the latter
/// back. Where move_pages is refused, numa_maps is read: it has sums per mapping only, so pages of
/// a mapping that reaches beyond the range and lies on several nodes are reported as unknown.
placement_report verify_pages(const void* data, std::size_t bytes, std::size_t node_os_id);

/// What a quick look saw, in pages. Pages not present count nowhere.
struct quick_look {
  std::size_t on_node = 0;
  std::size_t elsewhere = 0;
};

/// One move_pages query without second thoughts, for statistics; allocates nothing. Once the kernel
/// has refused it (one warning) it returns at once.
quick_look look_at_pages(const void* data, std::size_t bytes, std::size_t node_os_id) noexcept;

}  // namespace nearfork::detail
