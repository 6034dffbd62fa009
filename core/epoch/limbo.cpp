#include "epoch/limbo.hpp"

#include <mutex>
#include <nearfork/detail/buffer_memory.hpp>
#include <new>

namespace nearfork::detail {
namespace {

std::size_t size_of(const deque_buffer<task>* b) noexcept {
  return static_cast<std::size_t>(b->capacity) * sizeof(atomic<task*>);
}

}  // namespace

void limbo::set_readers(std::vector<const epoch_record*> readers) {
  const std::lock_guard lock(mutex_);
  readers_ = std::move(readers);
}

void limbo::retire(deque_buffer<task>* buffer) noexcept {
  // The unlinking lies before the records are read (the fence of may_read()).
  fence_seq_cst();
  const std::uint64_t time = clock_.advance();
  const std::lock_guard lock(mutex_);
  bytes_.fetch_add(size_of(buffer), std::memory_order_relaxed);
  try {
    retired_.push_back({buffer, time});
  } catch (const std::bad_alloc&) {
    // No memory for the list: wait for the readers here. They are inside one steal each.
    fence_seq_cst();
    for (const epoch_record* r : readers_) {
      while (r->may_read(time)) yield_processor();
    }
    bytes_.fetch_sub(size_of(buffer), std::memory_order_relaxed);
    buffer_memory::release(buffer);
    return;
  }
  reclaim_locked();
}

void limbo::reclaim() noexcept {
  if (bytes() == 0) return;
  if (!mutex_.try_lock()) return;  // whoever holds it is at it
  reclaim_locked();
  mutex_.unlock();
}

void limbo::reclaim_locked() noexcept {
  fence_seq_cst();
  std::erase_if(retired_, [this](const retired& r) {
    for (const epoch_record* reader : readers_) {
      if (reader->may_read(r.time)) return false;
    }
    bytes_.fetch_sub(size_of(r.buffer), std::memory_order_relaxed);
    buffer_memory::release(r.buffer);
    return true;
  });
}

void limbo::clear() noexcept {
  const std::lock_guard lock(mutex_);
  for (const retired& r : retired_) buffer_memory::release(r.buffer);
  retired_.clear();
  bytes_.store(0, std::memory_order_relaxed);
}

}  // namespace nearfork::detail
