#include <nearfork/detail/node_map.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/node_resource.hpp>

namespace nearfork {

std::size_t node_memory_resource::os_id() const noexcept { return pool_->node_os_id(); }

void* node_memory_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return pool_->allocate(bytes, alignment);
}

void node_memory_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  if (p != nullptr) pool_->deallocate(p, bytes, alignment);
}

bool node_memory_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  const auto* o = dynamic_cast<const node_memory_resource*>(&other);
  return o != nullptr && o->pool_ == pool_;
}

node_memory_resource& node_resource(node_index node) {
  return detail::node_pool::of(detail::os_id_of(node)).resource();
}

}  // namespace nearfork
