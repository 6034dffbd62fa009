#include "experiment.hpp"

#include <algorithm>

namespace nearfork::sim {
namespace {

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }
double steps(ticks t) { return static_cast<double>(t) / static_cast<double>(ticks_per_step); }

}  // namespace

double measurement::speedup() const noexcept { return ratio(work, time); }
double measurement::efficiency() const noexcept {
  return ratio(speedup(), static_cast<double>(workers));
}
double measurement::lower_bound() const noexcept {
  return std::max(ratio(work, static_cast<double>(workers)), span);
}
double measurement::greedy_bound() const noexcept {
  return ratio(work, static_cast<double>(workers)) + span;
}
double measurement::span_factor() const noexcept {
  return ratio(time - ratio(work, static_cast<double>(workers)), span);
}
double measurement::remote_steals() const noexcept {
  return steals_by_ring[static_cast<std::size_t>(ring::remote)];
}
double measurement::remote_share() const noexcept { return ratio(remote_steals(), steals); }
double measurement::steals_per_worker_span() const noexcept {
  return ratio(steals, static_cast<double>(workers) * span);
}

measurement measure(const dag& job, const layout& where, run_options options, unsigned seeds) {
  measurement m;
  m.workers = where.workers();
  m.nodes = where.occupied.size();
  m.work = static_cast<double>(job.work());
  m.span = static_cast<double>(job.span());
  // Sums of whole numbers first, one division at the end: the averages do not depend on the order.
  run_result sum;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    options.seed = seed;
    const run_result r = simulate(job, where, options);
    m.shortest = seed == 0 ? steps(r.time) : std::min(m.shortest, steps(r.time));
    m.longest = std::max(m.longest, steps(r.time));
    sum.time += r.time;
    sum.busy += r.busy;
    sum.steals += r.steals;
    sum.attempts += r.attempts;
    sum.away_work += r.away_work;
    for (std::size_t k = 0; k < ring_count; ++k) {
      sum.steals_by_ring[k] += r.steals_by_ring[k];
      sum.attempts_by_ring[k] += r.attempts_by_ring[k];
    }
  }
  const double n = seeds;
  m.time = steps(sum.time) / n;
  m.busy = steps(sum.busy) / n;
  m.steals = static_cast<double>(sum.steals) / n;
  m.attempts = static_cast<double>(sum.attempts) / n;
  m.away_share = ratio(static_cast<double>(sum.away_work) / n, m.work);
  for (std::size_t k = 0; k < ring_count; ++k) {
    m.steals_by_ring[k] = static_cast<double>(sum.steals_by_ring[k]) / n;
    m.attempts_by_ring[k] = static_cast<double>(sum.attempts_by_ring[k]) / n;
  }
  return m;
}

double comparison::remote_ratio() const noexcept {
  return ratio(candidate.remote_steals(), random.remote_steals());
}
double comparison::time_ratio() const noexcept { return ratio(candidate.time, random.time); }

}  // namespace nearfork::sim
