#include "region.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace nearfork::model {

region::region() {
  void* p = mmap(nullptr, total_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(p);
}

region::~region() { munmap(base_, total_bytes); }

void region::clear() noexcept {
  for (unsigned t = 0; t < max_threads; ++t) std::memset(arena(t), 0, used_[t]);
  used_ = {};
}

region::place region::describe(const void* p) const noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_);
  if (offset < max_threads * arena_bytes)
    return {false, static_cast<unsigned>(offset / arena_bytes), offset % arena_bytes};
  const std::size_t in_stacks = offset - max_threads * arena_bytes;
  return {true, static_cast<unsigned>(in_stacks / stack_bytes), in_stacks % stack_bytes};
}

void* region::allocate(unsigned thread, std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment < 16) alignment = 16;
  const std::size_t start =
      (used_[thread] + sizeof(header) + alignment - 1) / alignment * alignment;
  const std::size_t end = (start + bytes + 7) / 8 * 8;
  if (end > arena_bytes) return nullptr;
  std::byte* p = arena(thread) + start;
  const header h{end - start, 1};
  std::memcpy(p - sizeof(header), &h, sizeof(h));
  used_[thread] = static_cast<std::uint32_t>(end);
  return p;
}

region::block region::block_at(const void* p) const noexcept {
  header h;
  std::memcpy(&h, static_cast<const std::byte*>(p) - sizeof(header), sizeof(h));
  return {h.bytes, h.live == 1};
}

void region::release(void* p) noexcept {
  header h;
  std::memcpy(&h, static_cast<std::byte*>(p) - sizeof(header), sizeof(h));
  std::memset(p, 0xdd, h.bytes);
  h.live = 2;
  std::memcpy(static_cast<std::byte*>(p) - sizeof(header), &h, sizeof(h));
}

void region::save(std::vector<std::byte>& out, const std::array<fiber_context, max_threads>& fibers,
                  unsigned threads) const {
  std::size_t size = sizeof(used_);
  for (unsigned t = 0; t < threads; ++t) {
    size += used_[t];
    if (fibers[t].stack_pointer)
      size += static_cast<std::size_t>(stack(t) + stack_bytes -
                                       static_cast<std::byte*>(fibers[t].stack_pointer));
  }
  out.resize(size);
  std::byte* to = out.data();
  const auto put = [&to](const void* from, std::size_t n) {
    std::memcpy(to, from, n);
    to += n;
  };
  put(&used_, sizeof(used_));
  for (unsigned t = 0; t < threads; ++t) {
    put(arena(t), used_[t]);
    if (fibers[t].stack_pointer) {
      auto* from = static_cast<std::byte*>(fibers[t].stack_pointer);
      put(from, static_cast<std::size_t>(stack(t) + stack_bytes - from));
    }
  }
}

void region::restore(const std::vector<std::byte>& in,
                     const std::array<fiber_context, max_threads>& fibers,
                     unsigned threads) noexcept {
  const std::array<std::uint32_t, max_threads> later = used_;
  const std::byte* from = in.data();
  const auto get = [&from](void* to, std::size_t n) {
    std::memcpy(to, from, n);
    from += n;
  };
  get(&used_, sizeof(used_));
  for (unsigned t = 0; t < threads; ++t) {
    get(arena(t), used_[t]);
    if (later[t] > used_[t]) std::memset(arena(t) + used_[t], 0, later[t] - used_[t]);
    if (fibers[t].stack_pointer) {
      auto* to = static_cast<std::byte*>(fibers[t].stack_pointer);
      get(to, static_cast<std::size_t>(stack(t) + stack_bytes - to));
    }
  }
}

void region::hash_arenas(hash128& h, unsigned threads) const noexcept {
  for (unsigned t = 0; t < threads; ++t) {
    h.add(used_[t]);
    h.add(arena(t), used_[t]);
  }
}

}  // namespace nearfork::model
