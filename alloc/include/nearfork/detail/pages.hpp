/// \file
/// Whole pages on a memory node: what the engine's own structures are made from.
#pragma once

#include <cstddef>
#include <nearfork/detail/page_account.hpp>
#include <new>

namespace nearfork::detail {

/// "No particular node": pages go where they are first touched.
inline constexpr std::size_t any_node = static_cast<std::size_t>(-1);

/// Huge pages asked for, or got.
enum class huge_pages {
  none,         ///< whatever the system does by itself
  transparent,  ///< advised to use transparent huge pages
  reserved,     ///< from the reserved (hugetlb) pool
};

/// How pages are wanted.
struct page_options {
  std::size_t node_os_id = any_node;  ///< the node, by its operating-system id
  /// The pages are on the node when the call returns, or it throws; they never move to another.
  /// Otherwise the node is preferred: a full one spills to its neighbours. Without a node: ignored.
  bool strict = false;
  /// Falls back softly: reserved to transparent (pool empty on this node), transparent to none.
  huge_pages huge = huge_pages::none;
  std::size_t alignment = 0;        ///< a power of two; 0: a page
  bool touch = false;               ///< make the pages present now, and look where they are
  page_account* account = nullptr;  ///< where they are counted; nullptr: in process_pages() alone
};

/// Memory of whole pages, zeroed. A plain value: the holder takes care that one copy is kept and
/// given back once.
struct page_block {
  void* data = nullptr;
  std::size_t bytes = 0;               ///< rounded up to pages
  bool bound = false;                  ///< the kernel accepted the binding
  huge_pages huge = huge_pages::none;  ///< what kind was got
  std::size_t node_os_id = any_node;   ///< the node asked for
  std::size_t verified = 0;            ///< bytes seen on the node at the last look
  std::size_t elsewhere = 0;           ///< bytes seen on others at the last look
  page_account* account = nullptr;     ///< where it is counted
};

/// Why no pages could be had; a std::bad_alloc that says what was in the way.
class page_error : public std::bad_alloc {
 public:
  explicit page_error(const char* why) noexcept : why_(why) {}
  const char* what() const noexcept override { return why_; }

 private:
  const char* why_;  // a literal: an allocation error must not allocate
};

/// Bytes of an ordinary page.
std::size_t page_bytes() noexcept;

/// Maps at least \p bytes (0 counts as 1). Where binding is refused (EPERM or ENOSYS in containers
/// and emulators, EINVAL for a node that is absent, without memory or outside the cpuset) the pages
/// are unbound, first touch decides, and one warning is given per process.
/// Strict pages are refused with page_error instead, also when the node has not enough memory left:
/// the kernel would kill a process over it otherwise.
/// \throws page_error. Thread-safe. Cost: a few system calls; with touch the time to zero the
/// pages.
page_block allocate_pages(std::size_t bytes, const page_options& options);
/// The same with the node preferred and nothing else asked for.
page_block allocate_pages(std::size_t bytes, std::size_t node_os_id = any_node);

/// Looks where the block's present pages are, and brings its fields and its account up to date.
/// A block found partly elsewhere gives one warning per process. Costs about a microsecond for ten
/// pages. Does nothing where the kernel refuses to tell, or no node was asked for.
void look_at(page_block& block) noexcept;

/// Prefers a node for part of a block that was allocated for any_node: whole pages that nobody has
/// touched yet. Returns whether the kernel accepted; a refusal is warned of as in allocate_pages.
/// Thread-safe. One system call.
bool bind_pages(void* data, std::size_t bytes, std::size_t node_os_id) noexcept;

/// Gives a block back. Accepts an empty block. Thread-safe.
void free_pages(page_block block) noexcept;

}  // namespace nearfork::detail
