/// \file
/// The demo's sort: 40 million numbers, unlucky pivots.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/fork.hpp"
#include "common/mix.hpp"
#include "common/text.hpp"
#include "demo/quicksort.hpp"
#include "demo/workload.hpp"

namespace demo {

class quicksort_workload final : public workload {
 public:
  static constexpr std::uint64_t bytes_an_element = 2 * sizeof(double);

  explicit quicksort_workload(std::size_t size)
      : size_(size),
        data_(std::make_unique_for_overwrite<double[]>(size)),
        expected_(std::make_unique_for_overwrite<double[]>(size)) {}

  std::string title() const override {
    return "quicksort of " + common::grouped(size_) + " numbers, unlucky pivots";
  }
  std::uint64_t units() const override { return size_; }

  void prepare(nearfork::pool& pool) override {
    in_pieces(pool, [this](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        data_[i] = static_cast<double>(common::mix(i) >> 11) * 0x1p-53;
      }
    });
  }
  void run_serially(progress& shown) override { sort(common::without_forks{}, shown); }
  void run_in(nearfork::pool& pool, progress& shown) override {
    pool.run([&] { sort(common::with_forks{}, shown); });
  }
  void keep_result(nearfork::pool& pool) override {
    in_pieces(pool, [this](std::size_t from, std::size_t to) {
      std::copy(&data_[from], &data_[from] + (to - from), &expected_[from]);
    });
    expected_leaves_ = leaves_;
    sorted_ = std::is_sorted(data_.get(), data_.get() + size_);
  }
  bool same_result(nearfork::pool&) const override {
    return sorted_ && leaves_ == expected_leaves_ &&
           std::equal(data_.get(), data_.get() + size_, expected_.get());
  }

  std::string summary(const measured&) const override {
    return fmt::format("{} ranges of {} to {} numbers sorted without further forks",
                       common::grouped(leaves_.count), leaves_.smallest, leaves_.largest);
  }
  void describe(const measured&, json& object) const override {
    object["leaves"] = leaves_.count;
    object["smallest_leaf"] = leaves_.smallest;
    object["largest_leaf"] = leaves_.largest;
  }

 private:
  template <class Fork>
  void sort(Fork fork, progress& shown) {
    leaves_ = quicksort(data_.get(), size_, fork, [&](std::uint64_t n) { shown.add(n); });
  }
  template <class Leaf>
  void in_pieces(nearfork::pool& pool, const Leaf& leaf) {
    pool.run(
        [&] { common::for_pieces(0, size_, std::size_t{1} << 16, common::with_forks{}, leaf); });
  }

  std::size_t size_;
  std::unique_ptr<double[]> data_, expected_;
  sorted_leaves leaves_, expected_leaves_;
  bool sorted_ = false;
};

}  // namespace demo
