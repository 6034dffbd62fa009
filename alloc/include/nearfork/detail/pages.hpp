/// \file
/// Whole pages on a memory node: what the engine's own structures are made from.
#pragma once

#include <cstddef>

namespace nearfork::detail {

/// Memory of whole pages, zeroed.
struct page_block {
  void* data = nullptr;
  std::size_t bytes = 0;  ///< rounded up to pages
  bool bound = false;     ///< the kernel accepted the binding (preferred)
};

/// "No particular node": pages go where they are first touched.
inline constexpr std::size_t any_node = static_cast<std::size_t>(-1);

/// Maps at least \p bytes, preferably on the node with this operating-system id. Where binding is
/// refused the pages are unbound (first touch decides) and one warning is given per process.
/// \throws std::bad_alloc. Thread-safe.
page_block allocate_pages(std::size_t bytes, std::size_t node_os_id = any_node);
/// Gives a block back. Accepts an empty block. Thread-safe.
void free_pages(page_block block) noexcept;

}  // namespace nearfork::detail
