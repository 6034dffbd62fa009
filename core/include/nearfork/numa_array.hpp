/// \file
/// An array spread over the memory nodes of a pool's workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <nearfork/detail/array_memory.hpp>
#include <nearfork/distribution.hpp>
#include <nearfork/pool.hpp>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace nearfork {

/// A fixed-size array whose memory is bound to nodes by a distribution, and whose elements are
/// constructed (and destroyed) in parallel by workers of the owning nodes.
///
/// Elements are contiguous. Reading and writing elements is as thread-safe as with std::vector.
/// The pool must outlive the array.
template <class T>
class numa_array {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>);

 public:
  using value_type = T;

  /// \p n value-initialised elements (zeros, for numbers).
  /// \throws std::bad_alloc, std::bad_array_new_length; std::out_of_range for a node that is not
  /// there; what T() throws, after the elements made so far have been destroyed
  explicit numa_array(std::size_t n, distribution how = nearfork::block, pool& p = usual_pool())
      : pool_(&p), size_(n), memory_(p, n, sizeof(T), alignof(T), how) {
    construct();
  }
  numa_array(std::size_t n, pool& p) : numa_array(n, nearfork::block, p) {}
  numa_array(const numa_array&) = delete;
  numa_array& operator=(const numa_array&) = delete;
  ~numa_array() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      if (size_ != 0) {
        detail::for_parts(
            *pool_, memory_.parts(), piece_size(),
            [](void* self, std::size_t first, std::size_t last) {
              std::destroy(static_cast<T*>(self) + first, static_cast<T*>(self) + last);
            },
            data());
      }
    }
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return static_cast<T*>(memory_.data()); }
  const T* data() const noexcept { return static_cast<const T*>(memory_.data()); }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }

  /// The whole array.
  std::span<T> span() noexcept { return {data(), size_}; }
  std::span<const T> span() const noexcept { return {data(), size_}; }
  /// The elements of one node: empty if it has none.
  /// \throws std::logic_error for an interleaved array, where they are not contiguous;
  /// std::out_of_range when there is no such node
  std::span<T> block(node_index node) {
    const auto [first, last] = bounds(node);
    return span().subspan(first, last - first);
  }
  std::span<const T> block(node_index node) const {
    const auto [first, last] = bounds(node);
    return span().subspan(first, last - first);
  }
  /// The node that element \p i belongs to. O(log parts).
  /// \throws std::out_of_range for i >= size()
  node_index node_of(std::size_t i) const {
    if (i >= size_) {
      throw std::out_of_range("nearfork::numa_array::node_of: index " + std::to_string(i) +
                              " in an array of " + std::to_string(size_));
    }
    const auto after =
        std::upper_bound(parts().begin(), parts().end(), i,
                         [](std::size_t index, const detail::part& p) { return index < p.first; });
    return std::prev(after)->node;
  }
  /// Where the pages really are, as the kernel says. About 0.1 us a page.
  array_placement placement() const { return memory_.look(); }

  /// For morsels: which indices are whose.
  const std::vector<detail::part>& parts() const noexcept { return memory_.parts(); }
  pool& owner() const noexcept { return *pool_; }

 private:
  static pool& usual_pool() {
    pool* const p = pool::current();
    return p != nullptr ? *p : default_pool();
  }
  // Big enough that a task's cost does not show, small enough to be shared out.
  static constexpr std::size_t piece_size() noexcept {
    return std::max<std::size_t>(1, (std::size_t{1} << 20) / sizeof(T));
  }

  void construct() {
    if (size_ == 0) return;
    struct piece {
      std::size_t first, made;
    };
    struct state_type {
      T* data;
      std::vector<piece> pieces;
      std::atomic<std::size_t> used{0};
    } state{data(), {}, {}};
    if constexpr (!std::is_nothrow_default_constructible_v<T>) {
      std::size_t pieces = 0;
      for (const detail::part& p : parts()) pieces += (p.last - p.first) / piece_size() + 1;
      state.pieces.resize(pieces);
    }
    try {
      detail::for_parts(
          *pool_, parts(), piece_size(),
          [](void* s, std::size_t first, std::size_t last) {
            auto& st = *static_cast<state_type*>(s);
            if constexpr (std::is_nothrow_default_constructible_v<T>) {
              for (std::size_t i = first; i < last; ++i) ::new (st.data + i) T();
            } else {
              piece& mine = st.pieces[st.used.fetch_add(1, std::memory_order_relaxed)];
              mine.first = first;
              for (std::size_t i = first; i < last; ++i) {
                ::new (static_cast<void*>(st.data + i)) T();
                ++mine.made;
              }
            }
          },
          &state);
    } catch (...) {
      for (const piece& q : state.pieces) std::destroy_n(state.data + q.first, q.made);
      throw;
    }
  }

  std::pair<std::size_t, std::size_t> bounds(node_index node) const {
    if (node >= pool_->node_count()) {
      throw std::out_of_range("nearfork::numa_array::block: there is no node " +
                              std::to_string(node));
    }
    std::pair<std::size_t, std::size_t> found{0, 0};
    for (const detail::part& p : parts()) {
      if (p.node != node) continue;
      if (found.second != 0) {
        throw std::logic_error(
            "nearfork::numa_array::block: the elements of a node of an interleaved array are not "
            "contiguous; use morsel_for");
      }
      found = {p.first, p.last};
    }
    return found;
  }

  pool* pool_;
  std::size_t size_;
  detail::array_memory memory_;
};

}  // namespace nearfork
