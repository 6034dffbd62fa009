// The kernel's files about memory nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace nearfork::detail {

/// The whole text of a small file; empty when it cannot be read.
std::string read_text(const char* path);

/// A number of KiB after \p key in the text of a meminfo file, in bytes.
std::optional<std::uint64_t> meminfo_bytes(const std::string& text, const char* key);

/// About how many bytes can still be had on a node without swapping or killing: free pages and half
/// of the caches that can be dropped, less a reserve. Nothing when the kernel does not say.
std::optional<std::uint64_t> available_bytes(std::size_t node_os_id);

/// Bytes of a page of the reserved (hugetlb) pool; 0 when there are none.
std::size_t reserved_page_bytes();

/// Bytes of a transparent huge page.
std::size_t transparent_page_bytes();

}  // namespace nearfork::detail
