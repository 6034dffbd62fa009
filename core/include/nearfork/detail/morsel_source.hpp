/// \file
/// Who gets which morsel.
#pragma once

#include <cstddef>
#include <memory>
#include <nearfork/context.hpp>
#include <nearfork/detail/atomic.hpp>
#include <nearfork/detail/partition.hpp>
#include <nearfork/pool.hpp>
#include <stop_token>
#include <vector>

namespace nearfork::detail {

/// A morsel in the hands of a worker.
struct morsel_claim {
  std::size_t first = 0;
  std::size_t last = 0;
  node_index node = 0;
  bool local = false;
  std::size_t number = 0;  ///< counts morsels in index order
};

/// All morsels of one loop: a cursor per node, on that node's memory.
class morsel_source {
 public:
  /// \p morsel_size 0: about 256 KiB of elements, or 1/64 of a worker's share of indices.
  morsel_source(pool& p, const std::vector<part>& parts, std::size_t morsel_size,
                std::size_t element_bytes);
  ~morsel_source();
  morsel_source(const morsel_source&) = delete;
  morsel_source& operator=(const morsel_source&) = delete;

  /// How many morsels there are.
  std::size_t count() const noexcept { return count_; }

  /// Calls piece(state, claim) for every morsel, by all workers that come; waits. Returns whether
  /// all ran. \throws the first exception of a piece
  bool run(const std::stop_token& stop, void (*piece)(void*, const morsel_claim&), void* state);

 private:
  struct cursor;
  struct node_share {
    std::vector<part> parts;           // of this node, in index order
    std::vector<std::size_t> numbers;  // number of each part's first morsel
    std::vector<std::size_t> up_to;    // morsels of this node up to and including each part
    cursor* next = nullptr;            // the next morsel of this node to be claimed
  };
  struct job;

  bool claim(node_index own, morsel_claim& c) noexcept;
  bool claim_from(node_index node, morsel_claim& c) noexcept;
  bool exhausted() const noexcept;
  void work(job& j, context& c);

  pool* pool_;
  std::size_t size_;
  std::size_t count_ = 0;
  std::vector<node_share> nodes_;
  std::vector<std::vector<node_index>> order_;  // by node: all nodes, nearest first
};

}  // namespace nearfork::detail
