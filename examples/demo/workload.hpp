/// \file
/// What the demo runs, and how it measures: the serial and the parallel run of one algorithm, on
/// the same memory, by turns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nearfork/nearfork.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "progress.hpp"

namespace demo {

using json = nlohmann::ordered_json;

/// The fastest runs of several rounds, and whether all of them were right.
struct measured {
  bool correct = true;
  double seconds = std::numeric_limits<double>::infinity();
  double serial_seconds = std::numeric_limits<double>::infinity();
  std::size_t rounds = 0;
  nearfork::worker_statistics statistics;  ///< of the fastest parallel run, all workers together

  double speedup() const { return serial_seconds / seconds; }
};

/// One kind of work with its data.
class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  /// "quicksort of ... elements"
  virtual std::string title() const = 0;
  /// How much there is to do, in the units that the runs report as progress.
  virtual std::uint64_t units() const = 0;
  /// Before each run: the data as it was at first.
  virtual void prepare(nearfork::pool& pool) = 0;
  /// The algorithm without forks, by the calling thread.
  virtual void run_serially(progress& shown) = 0;
  /// The same by the pool.
  virtual void run_in(nearfork::pool& pool, progress& shown) = 0;
  /// Keeps the result of the first serial run.
  virtual void keep_result(nearfork::pool& pool) = 0;
  /// Whether the latest run's result is the one kept.
  virtual bool same_result(nearfork::pool& pool) const = 0;
  /// What the result is, for people.
  virtual std::string summary(const measured& m) const = 0;
  /// Adds figures of its own to its JSON object.
  virtual void describe(const measured& m, json& object) const = 0;
};

/// Runs both forms by turns, three times or more (fewer where that takes too long), and takes the
/// fastest of each: what disturbs a run (other processes, a clock that rises slowly) only ever
/// makes it longer.
inline measured measure(workload& w, const std::string& name, nearfork::pool& pool,
                        progress& shown) {
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;
  constexpr std::size_t fewest = 3, most = 9;
  constexpr seconds enough{4}, too_long{40};

  measured m;
  const auto timed = [&](const char* form, auto&& run) {
    w.prepare(pool);
    pool.reset_stats();
    shown.begin(fmt::format("{}: {} run {}", name, form, m.rounds + 1), w.units());
    const clock::time_point start = clock::now();
    run();
    return seconds(clock::now() - start);
  };
  seconds total{0};
  while (m.rounds == 0 || (m.rounds < most && total < (m.rounds < fewest ? too_long : enough))) {
    shown.begin(name + ": preparing");
    const seconds serial = timed("serial", [&] { w.run_serially(shown); });
    shown.begin(name + ": checking");
    if (m.rounds == 0) {
      w.keep_result(pool);
    }
    m.correct = w.same_result(pool) && m.correct;
    m.serial_seconds = std::min(m.serial_seconds, serial.count());

    const seconds parallel = timed("parallel", [&] { w.run_in(pool, shown); });
    const nearfork::worker_statistics counted = pool.stats().total;
    shown.begin(name + ": checking");
    m.correct = w.same_result(pool) && m.correct;
    if (parallel.count() < m.seconds) {
      m.seconds = parallel.count();
      m.statistics = counted;
    }
    total += serial + parallel;
    ++m.rounds;
  }
  shown.clear();
  return m;
}

}  // namespace demo
