// What core defines in its own files, for the explored programs.
#include "catalog.hpp"
#include "deque_world.hpp"

namespace nearfork::detail {

void yield_processor() noexcept { spin_pause(); }

void buffer_memory::release(deque_buffer<task>* b) noexcept {
  delete[] (b->slots - 1);
  delete b;
}

}  // namespace nearfork::detail

namespace nearfork::model::programs {

const std::vector<entry>& catalog() {
  static const std::vector<entry> all = [] {
    std::vector<entry> list;
    for (auto* const group : {deque_programs, injector_programs, sleep_programs})
      for (entry& e : group()) list.push_back(std::move(e));
    return list;
  }();
  return all;
}

}  // namespace nearfork::model::programs
