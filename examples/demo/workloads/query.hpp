/// \file
/// The demo's query: a filtered aggregation over 100 million rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/fork.hpp"
#include "common/text.hpp"
#include "demo/query.hpp"
#include "demo/workload.hpp"

namespace demo {

class query_workload final : public workload {
 public:
  static constexpr std::uint64_t bytes_a_row = sales::bytes_a_row;

  explicit query_workload(std::size_t rows) : table_(rows) {}

  std::string title() const override {
    return "query, filter and group-by over " + common::grouped(table_.rows) + " rows";
  }
  std::uint64_t units() const override { return 0; }
  void prepare(nearfork::pool& pool) override {
    answer_ = {};
    if (filled_) {
      return;  // a query changes nothing
    }
    pool.run([&] {
      common::for_pieces(0, table_.rows, query_grain, common::with_forks{},
                         [&](std::size_t from, std::size_t to) { fill(table_, from, to); });
    });
    filled_ = true;
  }
  void run_serially(progress&) override { answer_ = query(table_, common::without_forks{}); }
  void run_in(nearfork::pool& pool, progress&) override {
    answer_ = pool.run([&] { return query(table_, common::with_forks{}); });
  }
  void keep_result(nearfork::pool&) override { expected_ = answer_; }
  bool same_result(nearfork::pool&) const override { return answer_ == expected_; }

  std::string summary(const measured& m) const override {
    return fmt::format("{} rows selected, revenue {}; {:.1f} million rows a second, {:.2f} GB/s",
                       common::grouped(answer_.selected()), common::grouped(revenue() / 10'000),
                       static_cast<double>(table_.rows) / m.seconds / 1e6, gigabytes(m.seconds));
  }
  void describe(const measured& m, json& object) const override {
    object["selected"] = answer_.selected();
    object["revenue"] = static_cast<double>(revenue()) / 10'000;
    object["gigabytes_per_second"] = gigabytes(m.seconds);
    object["serial_gigabytes_per_second"] = gigabytes(m.serial_seconds);
  }

 private:
  std::uint64_t revenue() const {
    std::uint64_t sum = 0;
    for (const answer::group& g : answer_.by_region) {
      sum += g.revenue;
    }
    return sum;
  }
  double gigabytes(double seconds) const {
    return static_cast<double>(table_.rows * sales::bytes_a_row) / seconds * 1e-9;
  }

  sales table_;
  bool filled_ = false;
  answer answer_, expected_;
};

}  // namespace demo
