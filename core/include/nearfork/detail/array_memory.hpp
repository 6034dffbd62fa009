/// \file
/// The pages behind a numa_array.
#pragma once

#include <cstddef>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/partition.hpp>
#include <nearfork/pool.hpp>
#include <vector>

namespace nearfork {

/// Where an array's pages really are.
struct array_placement {
  std::vector<std::size_t> pages;  ///< present pages seen on each node, by node_index
  std::size_t as_planned = 0;      ///< of these, on the node that the distribution gives them
  std::size_t elsewhere = 0;       ///< on another
  std::size_t untouched = 0;       ///< without memory yet
  std::size_t unknown = 0;         ///< present, but the kernel does not say where
};

namespace detail {

/// One mapping, cut up and bound by a partition.
class array_memory {
 public:
  /// \throws std::bad_alloc, std::bad_array_new_length, std::out_of_range
  array_memory(pool& p, std::size_t n, std::size_t element_bytes, std::size_t alignment,
               distribution how);
  ~array_memory() { free_pages(pages_); }
  array_memory(const array_memory&) = delete;
  array_memory& operator=(const array_memory&) = delete;

  void* data() const noexcept { return pages_.data; }
  const std::vector<part>& parts() const noexcept { return parts_; }
  array_placement look() const;

 private:
  page_block pages_;
  std::size_t element_bytes_;
  std::vector<part> parts_;
  std::vector<std::size_t> os_ids_;  // by node_index
};

/// Calls piece(first, last) for pieces that cover the parts, by tasks that prefer each part's node;
/// waits. \throws the first exception of a piece
void for_parts(pool& p, const std::vector<part>& parts, std::size_t piece_size,
               void (*piece)(void*, std::size_t, std::size_t), void* state);

}  // namespace detail
}  // namespace nearfork
