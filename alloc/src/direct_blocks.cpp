#include "direct_blocks.hpp"

#include <cassert>
#include <mutex>
#include <nearfork/detail/node_pool.hpp>
#include <unordered_map>

namespace nearfork::detail {

namespace {

// The whole process's, since any thread may free what any node's pool allocated. Never destroyed.
std::unordered_map<void*, page_block>& blocks() {
  static auto& table = *new std::unordered_map<void*, page_block>;
  return table;
}

}  // namespace

small_lock& direct_blocks_lock() noexcept {
  static small_lock lock;
  return lock;
}

void* allocate_direct(node_pool& pool, std::size_t bytes, std::size_t alignment) {
  page_options options;
  options.node_os_id = pool.node_os_id();
  options.alignment = alignment;
  options.account = &pool.account();
  const page_block block = allocate_pages(bytes, options);
  try {
    const std::lock_guard guard(direct_blocks_lock());
    blocks().emplace(block.data, block);
  } catch (...) {
    free_pages(block);
    throw;
  }
  return block.data;
}

void free_direct(void* p) noexcept {
  page_block block;
  {
    const std::lock_guard guard(direct_blocks_lock());
    const auto found = blocks().find(p);
    assert(found != blocks().end() &&
           "freed twice, or with another size than it was allocated with");
    if (found == blocks().end()) return;
    block = found->second;
    blocks().erase(found);
  }
  free_pages(block);
}

void look_at_direct_blocks(const page_account& account) noexcept {
  const std::lock_guard guard(direct_blocks_lock());
  for (auto& [p, block] : blocks())
    if (block.account == &account) look_at(block);
}

}  // namespace nearfork::detail
