/// \file
/// The first step of sorting many elements: distribution into buckets of rising values, by all
/// workers at a time (sample sort).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <nearfork/detail/loops_control.hpp>
#include <nearfork/detail/loops_sort_buffer.hpp>
#include <nearfork/detail/loops_sort_serial.hpp>
#include <nearfork/detail/loops_split.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork::detail {

/// Whether elements may be moved out of the range and back: a move that throws half-way would leave
/// them scattered.
template <class T>
inline constexpr bool moves_safely =
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

/// Elements of [first, first + n) by buckets: equal elements are in the same one, and no element
/// of a bucket is less than one of an earlier bucket. Everything but the moving throws before
/// anything is moved, or not at all.
///
/// How many buckets, which elements are sampled and in which order elements come in a bucket
/// depends on the elements and their number alone. A bucket keeps their order.
template <class It, class Less>
class distribution_sort {
 public:
  using T = element_of<It>;

  /// \throws std::bad_alloc
  distribution_sort(loop_control& control, It first, std::size_t n, Less& less)
      : control_(control),
        first_(first),
        n_(n),
        less_(less),
        buckets_(std::clamp<std::size_t>(std::bit_ceil(n / 8192), 8, 256)),
        block_(std::max<std::size_t>(std::size_t{1} << 15, n / 1024)),
        blocks_(divide_up(n, block_)),
        tree_(buckets_, nothing()),
        bucket_of_(n),
        counts_(blocks_ * buckets_),
        starts_(buckets_ + 1),
        buffer_(n) {
    sample_.reserve(buckets_ * sampled_per_bucket);
  }

  std::size_t buckets() const noexcept { return buckets_; }
  std::size_t start(std::size_t bucket) const noexcept { return starts_[bucket]; }
  T* buffer() const noexcept { return buffer_.data(); }

  /// Nothing is moved. \throws what less throws
  void choose_splitters() {
    sample_places places(n_, buckets_ * sampled_per_bucket);
    for (std::size_t i = 0; i < buckets_ * sampled_per_bucket; ++i) {
      const It at = first_ + static_cast<std::iter_difference_t<It>>(places.next());
      if constexpr (by_value) {
        sample_.push_back(*at);
      } else {
        sample_.push_back(at);
      }
    }
    auto key_less = [this](key& a, key& b) -> bool { return less_(value(a), value(b)); };
    quicksort(sample_.begin(), sample_.end(), key_less, true,
              bad_steps_for(static_cast<std::ptrdiff_t>(sample_.size())));
    plant(1, sample_.data() + sampled_per_bucket, sampled_per_bucket, 0, buckets_ - 1);
  }

  /// Exceptions of less halt the control.
  void classify(context& c) noexcept {
    auto piece = [this](context&, std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t k = from; k < to; ++k) classify_block(k);
    };
    adaptive_loop loop(control_, piece, 1);
    loop.run(c, 0, blocks_);
  }

  /// Moves all elements to the buffer.
  void scatter(context& c) noexcept {
    // From counts to places: bucket by bucket, in each the blocks in order.
    std::size_t place = 0;
    for (std::size_t b = 0; b < buckets_; ++b) {
      starts_[b] = place;
      for (std::size_t k = 0; k < blocks_; ++k) {
        place += std::exchange(counts_[k * buckets_ + b], place);
      }
    }
    starts_[buckets_] = place;
    // A control of its own: once begun, this goes through.
    const std::stop_token never;
    loop_control always(never);
    auto piece = [this](context&, std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t k = from; k < to; ++k) scatter_block(k);
    };
    adaptive_loop loop(always, piece, 1);
    loop.run(c, 0, blocks_);
  }

 private:
  static constexpr std::size_t sampled_per_bucket = 16;
  // What splitters are kept as: small values themselves, others by where they lie (nothing moves
  // while they are in use).
  static constexpr bool by_value = small_value<T>;
  using key = std::conditional_t<by_value, T, It>;

  static T& value(key& k) {
    if constexpr (by_value) {
      return k;
    } else {
      return *k;
    }
  }
  key nothing() const {
    if constexpr (by_value) {
      return *first_;
    } else {
      return first_;
    }
  }

  /// Splitters [from, to) as the subtree of \p node; node i has the children 2i and 2i + 1.
  void plant(std::size_t node, const key* splitters, std::size_t step, std::size_t from,
             std::size_t to) {
    if (from == to) return;
    const std::size_t middle = from + (to - from) / 2;
    tree_[node] = splitters[middle * step];
    plant(2 * node, splitters, step, from, middle);
    plant(2 * node + 1, splitters, step, middle + 1, to);
  }

  void classify_block(std::size_t k) {
    std::size_t* const counts = counts_.data() + k * buckets_;
    const std::size_t end = std::min(n_, (k + 1) * block_);
    std::size_t i = k * block_;
    const int levels = std::countr_zero(buckets_);
    const auto descend = [&](std::size_t node, std::size_t element) {
      const bool left =
          less_(first_[static_cast<std::iter_difference_t<It>>(element)], value(tree_[node]));
      return 2 * node + (left ? 0 : 1);
    };
    const auto assign = [&](std::size_t node, std::size_t element) {
      const std::size_t bucket = node - buckets_;
      bucket_of_[element] = static_cast<std::uint8_t>(bucket);
      ++counts[bucket];
    };
    // Several ways down the tree at a time: each is a chain of loads.
    constexpr std::size_t lanes = 8;
    for (; i + lanes <= end; i += lanes) {
      std::size_t node[lanes];
      for (std::size_t& x : node) x = 1;
      for (int level = 0; level < levels; ++level) {
        for (std::size_t j = 0; j < lanes; ++j) node[j] = descend(node[j], i + j);
      }
      for (std::size_t j = 0; j < lanes; ++j) assign(node[j], i + j);
    }
    for (; i < end; ++i) {
      std::size_t node = 1;
      for (int level = 0; level < levels; ++level) node = descend(node, i);
      assign(node, i);
    }
  }

  void scatter_block(std::size_t k) noexcept {
    T* to[256];
    for (std::size_t b = 0; b < buckets_; ++b) {
      to[b] = buffer_.data() + counts_[k * buckets_ + b];
    }
    const std::size_t end = std::min(n_, (k + 1) * block_);
    for (std::size_t i = k * block_; i < end; ++i) {
      ::new (static_cast<void*>(to[bucket_of_[i]]++))
          T(std::move(first_[static_cast<std::iter_difference_t<It>>(i)]));
    }
  }

  loop_control& control_;
  It first_;
  std::size_t n_;
  Less& less_;
  std::size_t buckets_;  // a power of two
  std::size_t block_;    // elements that are counted together
  std::size_t blocks_;
  std::vector<key> sample_;
  std::vector<key> tree_;  // of splitters
  std::vector<std::uint8_t> bucket_of_;
  std::vector<std::size_t> counts_;  // by block and bucket; then where the first one goes
  std::vector<std::size_t> starts_;
  sort_buffer<T> buffer_;
};

}  // namespace nearfork::detail
