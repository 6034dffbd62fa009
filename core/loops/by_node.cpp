#include <nearfork/detail/loops_split.hpp>
#include <nearfork/detail/partition.hpp>
#include <nearfork/task_group.hpp>

#include "pool/scheduler.hpp"
#include "pool/worker.hpp"

namespace nearfork::detail {

std::size_t workers_of(context& c) noexcept { return static_cast<worker&>(c).owner.worker_count(); }

void run_by_node(context& c, std::uint64_t n,
                 void (*piece)(void*, context&, std::uint64_t, std::uint64_t), void* state) {
  pool& p = static_cast<worker&>(c).owner.owner();
  const std::vector<part> parts = make_partition(n, p.node_count(), block, 0, 0);
  task_group group(p);
  const part* own = nullptr;
  for (const part& q : parts) {
    if (q.node == c.node() && own == nullptr) {
      own = &q;
    } else {
      group.run_on(q.node, [=](context& inner) { piece(state, inner, q.first, q.last); });
    }
  }
  std::exception_ptr error;
  if (own != nullptr) {
    try {
      piece(state, c, own->first, own->last);
    } catch (...) {
      error = std::current_exception();
    }
  }
  try {
    group.wait();
  } catch (...) {
    if (!error) error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace nearfork::detail
