/// \file
/// Prefix sums over blocks: the same bits however they are shared out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <nearfork/detail/loops_split.hpp>
#include <nearfork/exceptions.hpp>
#include <new>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork::detail {

/// How many elements a block of a scan has: a rule by grain alone. 2,000 elements take about as
/// long as a hundred forks; and as they are no power of two, several blocks walked through at the
/// same time do not fall on the same lines of a cache.
constexpr std::uint64_t scan_block(std::size_t grain) noexcept { return grain != 0 ? grain : 2000; }

/// A scan of [in, in + n) to \p out.
///
/// The rule that fixes the bits: block k's sum is folded from left to right; what stands before
/// block k + 1 is op(what stands before block k, block k's sum); a block's results are folded from
/// left to right, beginning with what stands before it. How many blocks are done at a time is of no
/// influence: a tile of them, small enough to be read the second time from the cache.
template <class T, bool Inclusive, class In, class Out, class Op>
class block_scan {
 public:
  block_scan(loop_control& control, In in, Out out, Op& op, std::uint64_t n,
             std::uint64_t size) noexcept
      : control_(control), in_(in), out_(out), op_(op), n_(n), size_(size) {}

  /// \p init: what stands before the first element, if anything.
  void run(context& c, std::optional<T>&& init) {
    const std::uint64_t blocks = divide_up(n_, size_);
    // Per worker about half of a second-level cache, if elements have 8 bytes.
    std::uint64_t tile = std::min<std::uint64_t>(blocks, 32 * workers_of(c));
    std::vector<std::optional<T>> memory;
    std::optional<T> least[2];
    // before[k]: what stands before the tile's block k; until that is known, block k - 1's sum.
    std::optional<T>* before = least;
    try {
      memory.resize(tile + 1);
      before = memory.data();
    } catch (const std::bad_alloc&) {
      tile = 1;
    }
    if (init) before->emplace(*std::move(init));
    for (std::uint64_t base = 0; base < blocks; base += tile) {
      const std::uint64_t count = std::min(tile, blocks - base);
      // Nothing stands behind the last block.
      const std::uint64_t sums = base + count == blocks ? count - 1 : count;
      for_each_group(c, sums, [&](std::uint64_t i, std::uint64_t end) {
        add_up(base + i, end - i, before + i + 1);
      });
      if (control_.halted()) return;
      try {
        for (std::uint64_t i = 0; i < sums; ++i) {
          if (before[i]) {
            before[i + 1].emplace(op_(std::as_const(*before[i]), *std::move(before[i + 1])));
          }
        }
      } catch (...) {
        control_.fail();
        return;
      }
      for_each_group(c, count, [&](std::uint64_t i, std::uint64_t end) {
        write(base + i, end - i, before + i);
      });
      if (control_.halted()) return;
      if (sums == count) before[0].emplace(*std::move(before[count]));
    }
  }

 private:
  // Four chains of dependent operations at a time keep a processor busier than one, where the
  // values stay in registers.
  static constexpr bool interleaved = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;
  static constexpr std::uint64_t lanes = 4;

  auto element(std::uint64_t i) const { return in_ + static_cast<std::iter_difference_t<In>>(i); }
  auto result(std::uint64_t i) const { return out_ + static_cast<std::iter_difference_t<Out>>(i); }
  bool full(std::uint64_t block, std::uint64_t count) const noexcept {
    return (block + count) * size_ <= n_;
  }
  std::uint64_t length(std::uint64_t block) const noexcept {
    return std::min(size_, n_ - block * size_);
  }

  /// Blocks [0, count) of a tile, a few at a time.
  template <class F>
  void for_each_group(context& c, std::uint64_t count, F f) {
    if (count == 0) return;
    const std::uint64_t group = size_ >= 64 ? lanes : 1;
    auto run = [&](context&, std::uint64_t k) noexcept {
      if (control_.halted()) return;
      try {
        f(k * group, std::min(count, (k + 1) * group));
      } catch (...) {
        control_.fail();
      }
    };
    run_numbered(c, 0, divide_up(count, group), run);
  }

  void add_up(std::uint64_t block, std::uint64_t count, std::optional<T>* sums) {
    if constexpr (interleaved) {
      if (count == lanes && full(block, count)) {
        const auto x0 = element(block * size_);
        const auto x1 = element((block + 1) * size_);
        const auto x2 = element((block + 2) * size_);
        const auto x3 = element((block + 3) * size_);
        T s0 = static_cast<T>(*x0);
        T s1 = static_cast<T>(*x1);
        T s2 = static_cast<T>(*x2);
        T s3 = static_cast<T>(*x3);
        const auto n = static_cast<std::iter_difference_t<In>>(size_);
        for (std::iter_difference_t<In> i = 1; i < n; ++i) {
          s0 = op_(s0, x0[i]);
          s1 = op_(s1, x1[i]);
          s2 = op_(s2, x2[i]);
          s3 = op_(s3, x3[i]);
        }
        sums[0].emplace(s0);
        sums[1].emplace(s1);
        sums[2].emplace(s2);
        sums[3].emplace(s3);
        return;
      }
    }
    for (std::uint64_t k = 0; k < count; ++k) {
      auto x = element((block + k) * size_);
      T sum = static_cast<T>(*x);
      for (std::uint64_t left = length(block + k) - 1; left != 0; --left) {
        ++x;
        sum = op_(std::move(sum), *x);
      }
      sums[k].emplace(std::move(sum));
    }
  }

  /// One result, in place too: the element is read before the result is written.
  template <class X, class Y>
  void step(T& sum, const X& x, const Y& y) {
    if constexpr (Inclusive) {
      sum = op_(std::move(sum), *x);
      *y = std::as_const(sum);
    } else {
      T next = op_(std::as_const(sum), *x);
      *y = std::move(sum);
      sum = std::move(next);
    }
  }

  void write(std::uint64_t block, std::uint64_t count, std::optional<T>* carries) {
    if constexpr (interleaved) {
      if (count == lanes && full(block, count) && carries[0]) {
        const auto x0 = element(block * size_);
        const auto x1 = element((block + 1) * size_);
        const auto x2 = element((block + 2) * size_);
        const auto x3 = element((block + 3) * size_);
        const auto y0 = result(block * size_);
        const auto y1 = result((block + 1) * size_);
        const auto y2 = result((block + 2) * size_);
        const auto y3 = result((block + 3) * size_);
        T s0 = *carries[0];
        T s1 = *carries[1];
        T s2 = *carries[2];
        T s3 = *carries[3];
        const auto n = static_cast<std::iter_difference_t<In>>(size_);
        for (std::iter_difference_t<In> i = 0; i < n; ++i) {
          const auto j = static_cast<std::iter_difference_t<Out>>(i);
          step(s0, x0 + i, y0 + j);
          step(s1, x1 + i, y1 + j);
          step(s2, x2 + i, y2 + j);
          step(s3, x3 + i, y3 + j);
        }
        return;
      }
    }
    for (std::uint64_t k = 0; k < count; ++k) write_block(block + k, carries[k]);
  }

  void write_block(std::uint64_t block, std::optional<T>& carry) {
    auto x = element(block * size_);
    auto y = result(block * size_);
    std::uint64_t left = length(block);
    const auto rest = [&](T sum) {
      for (; left != 0; --left, ++x, ++y) step(sum, x, y);
    };
    if (carry) return rest(*std::move(carry));
    // Inclusive, no value before the first element.
    T sum = static_cast<T>(*x);
    *y = std::as_const(sum);
    ++x;
    ++y;
    --left;
    rest(std::move(sum));
  }

  loop_control& control_;
  In in_;
  Out out_;
  Op& op_;
  std::uint64_t n_;
  std::uint64_t size_;
};

/// Whether elements can be read and written by several workers at a time. Elements of
/// std::vector<bool> share words.
template <class In, class Out>
inline constexpr bool scans_in_parallel =
    std::random_access_iterator<In> && std::random_access_iterator<Out> &&
    !std::is_same_v<std::iter_reference_t<Out>, std::vector<bool>::reference>;

[[noreturn]] inline void scan_stopped() {
  throw cancelled("nearfork: scan stopped before the whole range was covered");
}

template <class T, bool Inclusive, class In, class Out, class Op>
Out scan(In first, In last, Out out, std::optional<T> init, Op op, const loop_options& options) {
  if constexpr (scans_in_parallel<In, Out>) {
    if (last - first <= 0) return out;
    const auto n = static_cast<std::uint64_t>(last - first);
    in_a_pool([&](context& c) {
      loop_control control(options.stop);
      block_scan<T, Inclusive, In, Out, Op> s(control, first, out, op, n,
                                              scan_block(options.grain));
      s.run(c, std::move(init));
      if (!control.finish()) scan_stopped();
    });
    return out + static_cast<std::iter_difference_t<Out>>(n);
  } else {
    if (options.stop.stop_requested()) scan_stopped();
    if constexpr (!Inclusive) {
      return std::exclusive_scan(first, last, out, *std::move(init), std::move(op));
    } else {
      return init ? std::inclusive_scan(first, last, out, std::move(op), *std::move(init))
                  : std::inclusive_scan(first, last, out, std::move(op));
    }
  }
}

}  // namespace nearfork::detail
