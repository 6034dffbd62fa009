#include <numaif.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/sanitize.hpp>
#include <nearfork/detail/verify.hpp>
#include <nearfork/detail/warn.hpp>
#include <string>
#include <system_error>

#include "fork.hpp"
#include "numa_files.hpp"

namespace nearfork::detail {

namespace {

// Absent from the headers of older systems; the kernel answers EINVAL where it lacks it (< 5.14).
constexpr int populate_write = 23;
// Strict pages are made present in steps of this, with a look at what is left before each.
constexpr std::size_t strict_step = std::size_t{16} << 20;

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) & ~(to - 1); }

/// A mapping that is given back unless it is released.
struct mapping {
  char* data = nullptr;
  std::size_t bytes = 0;
  mapping() = default;
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping() { drop(); }
  void drop() noexcept {
    if (data != nullptr) munmap(data, bytes);
    data = nullptr;
  }
};

bool map(mapping& m, std::size_t bytes, std::size_t alignment, int flags) {
  // The kernel aligns to the kind of page; for more, map more and cut both ends.
  const std::size_t natural = (flags & MAP_HUGETLB) != 0 ? reserved_page_bytes() : page_bytes();
  const std::size_t extra = alignment > natural ? alignment - natural : 0;
  if (bytes > PTRDIFF_MAX - extra) return false;
  void* p = mmap(nullptr, bytes + extra, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (p == MAP_FAILED) return false;
  auto* start = static_cast<char*>(p);
  if (extra != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const std::size_t head = round_up(address, alignment) - address;
    if (head != 0) munmap(start, head);
    if (extra != head) munmap(start + head + bytes, extra - head);
    start += head;
  }
  m.data = start;
  m.bytes = bytes;
  return true;
}

/// Asks the kernel for a node. A refusal that concerns the whole process is remembered, so that a
/// container that forbids mbind is not asked for every buffer.
bool bind(void* data, std::size_t bytes, std::size_t node, bool strict) {
  static std::atomic<bool> refused{false};
  if (refused.load(std::memory_order_relaxed)) return false;
  // Sized by the id: there are kernels with more than 1024 nodes' worth of ids. The kernel counts
  // one bit less than it is told.
  constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  constexpr std::size_t highest_id = 8 * 4096 - 2;  // the kernel takes a page of bits at most
  int error = EINVAL;
  if (node <= highest_id) {
    std::array<unsigned long, highest_id / word_bits + 1> mask;
    const std::size_t words = node / word_bits + 1;
    std::fill_n(mask.begin(), words, 0UL);
    mask[words - 1] = 1UL << (node % word_bits);
    const int mode = strict ? MPOL_BIND : MPOL_PREFERRED;
    if (mbind(data, bytes, mode, mask.data(), words * word_bits + 1, 0) == 0) return true;
    error = errno;
  }
  if (error == EPERM || error == ENOSYS) refused.store(true, std::memory_order_relaxed);
  if (strict) return false;  // the caller throws: nothing goes unnoticed
  const auto reason = std::generic_category().message(error);
  if (error == EINVAL) {
    warn_once("mbind-node",
              "memory cannot be bound to node " + std::to_string(node) + " (" + reason +
                  "): it is absent, has no memory or is outside the allowed nodes; pages go where "
                  "they are first touched");
  } else {
    warn_once("mbind", "the system refuses to bind memory to nodes (mbind: " + reason +
                           "); pages go where they are first touched");
  }
  return false;
}

/// Makes pages present. They are fresh, so writing zeros changes nothing where the kernel cannot do
/// it for us. False: the memory cannot be had.
bool make_present(char* data, std::size_t bytes) {
  while (madvise(data, bytes, populate_write) != 0) {
    if (errno == EAGAIN || errno == EINTR) continue;
    if (errno == ENOMEM || errno == EFAULT || errno == EHWPOISON) return false;
    for (std::size_t at = 0; at < bytes; at += page_bytes())
      *const_cast<volatile char*>(data + at) = 0;
    return true;
  }
  return true;
}

void make_present_strict(const mapping& m, std::size_t node) {
  for (std::size_t at = 0; at < m.bytes; at += strict_step) {
    const std::size_t step = std::min(strict_step, m.bytes - at);
    const auto left = available_bytes(node);
    if (left && *left < step) throw page_error("nearfork: the node has no memory left");
    if (!make_present(m.data + at, step)) throw page_error("nearfork: no memory on the node");
  }
}

/// Pages of the reserved pool. They are made present at once: the pool of one node can be empty
/// although the mapping was granted, and a later touch would then end in SIGBUS. Bound strictly
/// also where the node is only preferred: ordinary pages on the node are better than huge ones
/// elsewhere.
bool map_reserved(mapping& m, std::size_t bytes, const page_options& options, bool& bound) {
  const std::size_t huge = reserved_page_bytes();
  if (huge == 0 || bytes < huge / 2 || bytes > PTRDIFF_MAX - huge) return false;
  if (!map(m, round_up(bytes, huge), options.alignment, MAP_HUGETLB)) return false;
  const std::size_t node = options.node_os_id;
  const auto bind_to = [&](bool strict) { return bind(m.data, m.bytes, node, strict); };
  bound = node != any_node && (bind_to(true) || (!options.strict && bind_to(false)));
  const bool usable = (bound || !options.strict || node == any_node) &&
                      madvise(m.data, m.bytes, populate_write) == 0;
  if (!usable) m.drop();
  return usable;
}

}  // namespace

small_lock& leak_roots_lock() noexcept {
  static small_lock lock;
  return lock;
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

const bool library_poisons = compiled_with_asan;

page_account& process_pages() noexcept {
  static page_account account(nullptr);
  return account;
}

page_block allocate_pages(std::size_t bytes, const page_options& options) {
  if (bytes > PTRDIFF_MAX - page_bytes())
    throw page_error("nearfork: more memory than there can be");
  const bool to_node = options.node_os_id != any_node;
  const bool strict = options.strict && to_node;
  page_block block;
  block.node_os_id = options.node_os_id;
  block.account = options.account != nullptr ? options.account : &process_pages();

  const std::size_t wanted = round_up(bytes == 0 ? 1 : bytes, page_bytes());
  mapping m;
  if (options.huge == huge_pages::reserved && map_reserved(m, wanted, options, block.bound)) {
    block.huge = huge_pages::reserved;
  } else {
    if (strict) {
      const auto left = available_bytes(options.node_os_id);
      if (left && *left < wanted) throw page_error("nearfork: the node has not enough memory left");
    }
    std::size_t alignment = options.alignment;
    const bool huge = options.huge != huge_pages::none && wanted >= transparent_page_bytes();
    if (huge) alignment = std::max(alignment, transparent_page_bytes());
    if (!map(m, wanted, alignment, 0)) throw page_error("nearfork: the system has no memory left");
    block.bound = to_node && bind(m.data, m.bytes, options.node_os_id, strict);
    if (strict && !block.bound) throw page_error("nearfork: memory cannot be bound to the node");
    if (huge && madvise(m.data, m.bytes, MADV_HUGEPAGE) == 0) block.huge = huge_pages::transparent;
    if (strict)
      make_present_strict(m, options.node_os_id);
    else if (options.touch && !make_present(m.data, m.bytes))
      throw page_error("nearfork: the system has no memory left");
  }
  block.data = m.data;
  block.bytes = m.bytes;
  m.data = nullptr;

  if constexpr (compiled_with_asan) {
    const std::lock_guard guard(leak_roots_lock());
    register_leak_roots(block.data, block.bytes);
  }
  block.account->count_mapped(block.bound, static_cast<std::int64_t>(block.bytes));
  if (options.touch || strict) look_at(block);
  return block;
}

page_block allocate_pages(std::size_t bytes, std::size_t node_os_id) {
  page_options options;
  options.node_os_id = node_os_id;
  return allocate_pages(bytes, options);
}

void look_at(page_block& block) noexcept {
  if (block.data == nullptr || block.account == nullptr || block.node_os_id == any_node) return;
  const auto seen = look_at_pages(block.data, block.bytes, block.node_os_id);
  const std::size_t verified = seen.on_node * page_bytes();
  const std::size_t elsewhere = seen.elsewhere * page_bytes();
  block.account->count_seen(
      static_cast<std::int64_t>(verified) - static_cast<std::int64_t>(block.verified),
      static_cast<std::int64_t>(elsewhere) - static_cast<std::int64_t>(block.elsewhere));
  block.verified = verified;
  block.elsewhere = elsewhere;
}

bool bind_pages(void* data, std::size_t bytes, std::size_t node_os_id) noexcept {
  if (node_os_id == any_node || bytes == 0) return false;
  try {
    return bind(data, bytes, node_os_id, false);
  } catch (const std::bad_alloc&) {  // no memory for the warning's text
    return false;
  }
}

void free_pages(page_block block) noexcept {
  if (block.data == nullptr) return;
  if (block.account != nullptr) {
    block.account->count_mapped(block.bound, -static_cast<std::int64_t>(block.bytes));
    block.account->count_seen(-static_cast<std::int64_t>(block.verified),
                              -static_cast<std::int64_t>(block.elsewhere));
  }
  if constexpr (compiled_with_asan) {
    const std::lock_guard guard(leak_roots_lock());
    unregister_leak_roots(block.data, block.bytes);
  }
  munmap(block.data, block.bytes);
}

}  // namespace nearfork::detail
