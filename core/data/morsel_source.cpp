#include <algorithm>
#include <nearfork/detail/morsel_source.hpp>
#include <nearfork/detail/node_map.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/task_group.hpp>
#include <numeric>

namespace nearfork::detail {
namespace {

constexpr std::size_t usual_bytes = std::size_t{256} << 10;

std::size_t default_size(const pool& p, const std::vector<part>& parts, std::size_t element_bytes) {
  if (element_bytes != 0) return std::max<std::size_t>(1, usual_bytes / element_bytes);
  const std::size_t n = parts.empty() ? 0 : parts.back().last;
  return std::max<std::size_t>(1, n / (64 * std::max<std::size_t>(1, p.worker_count())));
}

}  // namespace

struct morsel_source::cursor {
  alignas(cache_line) atomic<std::size_t> value;
};

/// One run: shared by the workers' loops.
struct morsel_source::job {
  const std::stop_token& stop;
  void (*piece)(void*, const morsel_claim&);
  void* state;
  task_group& group;
  atomic<std::size_t> loops;    // workers' loops begun and not ended
  atomic<std::uint32_t> ended;  // 1: an exception or a stop: claim no more
};

morsel_source::morsel_source(pool& p, const std::vector<part>& parts, std::size_t morsel_size,
                             std::size_t element_bytes)
    : pool_(&p),
      size_(morsel_size != 0 ? morsel_size : default_size(p, parts, element_bytes)),
      nodes_(std::max<std::size_t>(1, p.node_count())) {
  const placement& plan = p.plan();
  for (const part& q : parts) {
    node_share& share = nodes_[q.node];
    const std::size_t n = q.last - q.first;
    const std::size_t morsels = n / size_ + (n % size_ != 0 ? 1 : 0);
    share.parts.push_back(q);
    share.numbers.push_back(count_);
    share.up_to.push_back((share.up_to.empty() ? 0 : share.up_to.back()) + morsels);
    count_ += morsels;
  }
  for (node_index n = 0; n < nodes_.size(); ++n) {
    void* const memory = node_pool::of(os_id_of(plan, n)).allocate(sizeof(cursor), alignof(cursor));
    nodes_[n].next = ::new (memory) cursor;
  }
  for (node_index n = 0; n < nodes_.size(); ++n) {
    std::vector<node_index> order(nodes_.size());
    std::iota(order.begin(), order.end(), node_index{0});
    if (n < plan.distances.size()) {
      const auto& row = plan.distances[n];
      std::sort(order.begin(), order.end(), [&](node_index a, node_index b) {
        const auto far = [&](node_index i) {
          return i == n ? 0 : i < row.size() ? row[i] + 1 : std::uint64_t(-1);
        };
        return far(a) != far(b) ? far(a) < far(b) : a < b;
      });
    } else {
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end());
    }
    order_.push_back(std::move(order));
  }
}

morsel_source::~morsel_source() {
  for (node_share& share : nodes_) {
    if (share.next != nullptr) return_memory(share.next, sizeof(cursor), alignof(cursor));
  }
}

bool morsel_source::claim_from(node_index node, morsel_claim& c) noexcept {
  node_share& share = nodes_[node];
  if (share.up_to.empty()) return false;
  const std::size_t total = share.up_to.back();
  // relaxed: the counter hands out numbers; what they stand for was there before the tasks began.
  if (share.next->value.load(std::memory_order_relaxed) >= total) return false;
  const std::size_t k = share.next->value.fetch_add(1, std::memory_order_relaxed);
  if (k >= total) return false;
  const auto at = static_cast<std::size_t>(
      std::upper_bound(share.up_to.begin(), share.up_to.end(), k) - share.up_to.begin());
  const std::size_t before = at == 0 ? 0 : share.up_to[at - 1];
  const part& p = share.parts[at];
  c.first = p.first + (k - before) * size_;
  c.last = p.last - c.first > size_ ? c.first + size_ : p.last;
  c.node = node;
  c.number = share.numbers[at] + (k - before);
  return true;
}

bool morsel_source::claim(node_index own, morsel_claim& c) noexcept {
  if (own >= order_.size()) own = 0;
  for (node_index n : order_[own]) {
    if (claim_from(n, c)) {
      c.local = n == own;
      return true;
    }
  }
  return false;
}

bool morsel_source::exhausted() const noexcept {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const node_share& s) {
    return s.up_to.empty() || s.next->value.load(std::memory_order_relaxed) >= s.up_to.back();
  });
}

void morsel_source::work(job& j, context& c) {
  struct leave {
    job& j;
    ~leave() { j.loops.fetch_sub(1, std::memory_order_relaxed); }
  } counted{j};
  for (;;) {
    if (j.ended.load(std::memory_order_relaxed) != 0 || j.group.is_cancelled()) return;
    if (j.stop.stop_requested()) {
      j.ended.store(1, std::memory_order_relaxed);
      return;
    }
    // A worker that leaves the pool leaves the rest to the others, if another is at it.
    if (context_access::leaving(c)) {
      std::size_t others = j.loops.load(std::memory_order_relaxed);
      if (others > 1) return;
    }
    // Whoever is hungry gets a loop of its own.
    if (context_access::hungry(c) && j.loops.load(std::memory_order_relaxed) < 4096 &&
        !exhausted()) {
      j.loops.fetch_add(1, std::memory_order_relaxed);
      try {
        j.group.run([this, &j](context& inner) { work(j, inner); });
      } catch (...) {
        j.loops.fetch_sub(1, std::memory_order_relaxed);
        throw;
      }
    }
    morsel_claim claimed;
    if (!claim(c.node(), claimed)) return;
    context_access::count_morsel(c, claimed.local);
    j.piece(j.state, claimed);
  }
}

bool morsel_source::run(const std::stop_token& stop, void (*piece)(void*, const morsel_claim&),
                        void* state) {
  if (count_ == 0) return true;
  return pool_->run([&](context& c) {
    task_group group(*pool_);
    job j{stop, piece, state, group, atomic<std::size_t>(1), {}};
    std::exception_ptr error;
    try {
      work(j, c);
    } catch (...) {
      error = std::current_exception();
      j.ended.store(1, std::memory_order_relaxed);
    }
    try {
      group.wait();
    } catch (...) {
      if (!error) error = std::current_exception();
    }
    if (error) std::rethrow_exception(error);
    // Loops that workers left when the pool shrank may have been the last.
    while (j.ended.load(std::memory_order_relaxed) == 0 && !exhausted()) {
      j.loops.fetch_add(1, std::memory_order_relaxed);
      work(j, c);
      group.wait();
    }
    return j.ended.load(std::memory_order_relaxed) == 0;
  });
}

}  // namespace nearfork::detail
