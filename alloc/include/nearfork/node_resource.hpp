/// \file
/// Memory on one node for containers and other users of std::pmr.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <nearfork/indices.hpp>

namespace nearfork {

namespace detail {
class node_pool;
}

/// Memory that is bound to one node, preferably (a full node spills to its neighbours): what
/// node_resource() returns. Pooled by size up to 128 KiB, whole pages above. Threads may allocate
/// and free at the same time, also what others allocated. All resources of a node compare equal.
///
/// It can be handed over as a reference, by address, or as it is where a pointer or an allocator is
/// wanted: `std::pmr::vector<int> v(nearfork::node_resource(0))`.
class node_memory_resource final : public std::pmr::memory_resource {
 public:
  explicit node_memory_resource(detail::node_pool& pool) noexcept : pool_(&pool) {}
  node_memory_resource(const node_memory_resource&) = delete;
  node_memory_resource& operator=(const node_memory_resource&) = delete;

  /// The operating-system id of the node; npos where memory is not bound (a foreign topology).
  std::size_t os_id() const noexcept;

  template <std::same_as<std::pmr::memory_resource> R>
  operator R*() noexcept {
    return this;
  }
  template <class T>
  operator std::pmr::polymorphic_allocator<T>() noexcept {
    return std::pmr::polymorphic_allocator<T>(static_cast<std::pmr::memory_resource*>(this));
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  detail::node_pool* pool_;
};

/// The memory of a node of the current worker's pool; outside of pools, of the machine that the
/// default pool would be made on. Lives as long as the process. Thread-safe. Where the system
/// refuses to bind memory, first touch decides and one warning says so.
/// \throws std::out_of_range when there is no such node, naming those there are; config_error when
/// NEARFORK_TOPOLOGY is bad; std::bad_alloc.
node_memory_resource& node_resource(node_index node);

}  // namespace nearfork
