#include <algorithm>
#include <limits>
#include <nearfork/detail/array_memory.hpp>
#include <nearfork/detail/node_map.hpp>
#include <nearfork/detail/verify.hpp>
#include <nearfork/task_group.hpp>
#include <new>

namespace nearfork::detail {

array_memory::array_memory(pool& p, std::size_t n, std::size_t element_bytes, std::size_t alignment,
                           distribution how)
    : element_bytes_(element_bytes) {
  if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element_bytes) {
    throw std::bad_array_new_length();
  }
  const placement& plan = p.plan();
  for (std::size_t i = 0; i < p.node_count(); ++i) {
    os_ids_.push_back(os_id_of(plan, i));
  }
  const std::size_t page = page_bytes();
  parts_ = make_partition(n, p.node_count(), how, element_bytes, page);
  page_options options;
  options.alignment = std::max(alignment, page);
  pages_ = allocate_pages(n * element_bytes, options);
  for (const part& q : parts_) {
    // Cuts are where the first element of a page begins, so a part's pages begin at or just
    // before its first byte; the page that two parts share goes to the earlier one.
    const auto up = [&](std::size_t bytes) { return (bytes + page - 1) / page * page; };
    const std::size_t begin = q.first == 0 ? 0 : up(q.first * element_bytes - element_bytes + 1);
    const std::size_t end =
        std::min(q.last == n ? up(q.last * element_bytes) : up((q.last - 1) * element_bytes + 1),
                 pages_.bytes);
    if (end > begin) {
      bind_pages(static_cast<char*>(pages_.data) + begin, end - begin, os_ids_[q.node]);
    }
  }
}

array_placement array_memory::look() const {
  array_placement result;
  result.pages.resize(os_ids_.size());
  const std::size_t page = page_bytes();
  std::size_t next = 0;  // first byte not looked at yet
  for (const part& q : parts_) {
    const std::size_t end = (q.last * element_bytes_ + page - 1) / page * page;
    if (end <= next) continue;
    const placement_report r = verify_pages(static_cast<char*>(pages_.data) + next,
                                            std::min(end, pages_.bytes) - next, os_ids_[q.node]);
    next = end;
    result.as_planned += r.on_node;
    result.elsewhere += r.elsewhere;
    result.untouched += r.untouched;
    result.unknown += r.unknown;
    for (const auto& [os_id, pages] : r.by_node) {
      const auto at = std::find(os_ids_.begin(), os_ids_.end(), os_id);
      if (at != os_ids_.end()) {
        result.pages[static_cast<std::size_t>(at - os_ids_.begin())] += pages;
      }
    }
  }
  return result;
}

void for_parts(pool& p, const std::vector<part>& parts, std::size_t piece_size,
               void (*piece)(void*, std::size_t, std::size_t), void* state) {
  task_group group(p);
  for (const part& q : parts) {
    for (std::size_t first = q.first; first < q.last;) {
      const std::size_t last = q.last - first > piece_size ? first + piece_size : q.last;
      group.run_on(q.node, [=] { piece(state, first, last); });
      first = last;
    }
  }
  group.wait();
}

}  // namespace nearfork::detail
