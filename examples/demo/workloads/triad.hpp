/// \file
/// The demo's memory bandwidth: several passes of the triad.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/fork.hpp"
#include "common/text.hpp"
#include "demo/triad.hpp"
#include "demo/workload.hpp"

namespace demo {

class triad_workload final : public workload {
 public:
  static constexpr std::uint64_t bytes_an_element = triad_arrays::bytes_an_element;

  explicit triad_workload(std::size_t size) : arrays_(size) {}

  std::string title() const override {
    return fmt::format("triad, {} passes over three arrays of {} numbers", triad_passes,
                       common::grouped(arrays_.size));
  }
  std::uint64_t units() const override { return 0; }
  void prepare(nearfork::pool& pool) override {
    pool.run([&] { fill(arrays_, common::with_forks{}); });
  }
  void run_serially(progress&) override { triad(arrays_, common::without_forks{}); }
  void run_in(nearfork::pool& pool, progress&) override {
    pool.run([&] { triad(arrays_, common::with_forks{}); });
  }
  void keep_result(nearfork::pool&) override { expected_ = digest(arrays_); }
  bool same_result(nearfork::pool&) const override { return digest(arrays_) == expected_; }

  std::string summary(const measured& m) const override {
    return fmt::format("{:.2f} GB/s, serial {:.2f} GB/s", gigabytes(m.seconds),
                       gigabytes(m.serial_seconds));
  }
  void describe(const measured& m, json& object) const override {
    object["passes"] = triad_passes;
    object["gigabytes_per_second"] = gigabytes(m.seconds);
    object["serial_gigabytes_per_second"] = gigabytes(m.serial_seconds);
  }

 private:
  /// As STREAM counts: two arrays read, one written, a pass.
  double gigabytes(double seconds) const {
    return static_cast<double>(triad_passes * arrays_.size * bytes_an_element) / seconds * 1e-9;
  }

  triad_arrays arrays_;
  std::uint64_t expected_ = 0;
};

}  // namespace demo
