#include <cstring>
#include <memory>
#include <nearfork/detail/buffer_memory.hpp>
#include <nearfork/detail/pages.hpp>
#include <new>

#include "epoch/limbo.hpp"

namespace nearfork::detail {
namespace {

/// What lies at the beginning of a buffer's pages; the slot "left of the first" comes last.
struct header {
  page_block pages;
  deque_buffer<task> buffer;
  alignas(64) atomic<task*> padding[8];
};

}  // namespace

deque_buffer<task>* buffer_memory::allocate(std::int64_t capacity) noexcept {
  try {
    const auto slots = static_cast<std::size_t>(capacity);
    const page_block pages = allocate_pages(sizeof(header) + slots * sizeof(atomic<task*>), node_);
    auto* const h = ::new (pages.data) header{};
    h->pages = pages;
    h->buffer.capacity = capacity;
    // Pages are zero when they come, and a zero is what an empty slot holds; constructing each
    // slot would touch pages that may never be needed.
    static_assert(std::is_trivially_destructible_v<atomic<task*>>);
    h->buffer.slots = reinterpret_cast<atomic<task*>*>(h + 1);
    return &h->buffer;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void buffer_memory::retire(deque_buffer<task>* buffer) noexcept { limbo_->retire(buffer); }

void buffer_memory::release(deque_buffer<task>* buffer) noexcept {
  auto* const h =
      reinterpret_cast<header*>(reinterpret_cast<char*>(buffer) - offsetof(header, buffer));
  free_pages(h->pages);
}

}  // namespace nearfork::detail
