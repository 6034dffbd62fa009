// The founding document's table, number for number. A difference here means that the model, the
// order of the workers or the random numbers are no longer those of the document.
#include <gtest/gtest.h>

#include <cmath>

#include "experiment.hpp"
#include "jobs.hpp"

namespace {

using namespace nearfork::sim;

struct row {
  std::size_t workers;
  steal_end end;
  long time;
  long steals;
};

void PrintTo(const row& r, std::ostream* out) {
  *out << r.workers << " workers, " << to_string(r.end);
}

class FoundingTable : public ::testing::TestWithParam<row> {};

TEST_P(FoundingTable, IsReproducedExactly) {
  run_options options;
  options.end = GetParam().end;
  const measurement m = measure(fib_dag(20), flat_layout(GetParam().workers), options, 3);
  EXPECT_EQ(std::lround(m.time), GetParam().time);
  EXPECT_EQ(std::lround(m.steals), GetParam().steals);
}

INSTANTIATE_TEST_SUITE_P(Document, FoundingTable,
                         ::testing::Values(row{16, steal_end::oldest, 2775, 175},
                                           row{16, steal_end::newest, 2901, 1391},
                                           row{64, steal_end::oldest, 731, 626},
                                           row{64, steal_end::newest, 830, 2998}));

INSTANTIATE_TEST_SUITE_P(MoreRows, FoundingTable,
                         ::testing::Values(row{1, steal_end::oldest, 43781, 0},
                                           row{4, steal_end::oldest, 10969, 31},
                                           row{8, steal_end::oldest, 5499, 55},
                                           row{32, steal_end::oldest, 1411, 311},
                                           row{8, steal_end::newest, 5710, 1138},
                                           row{32, steal_end::newest, 1551, 2568}));

// Single runs, from an independent program with the same rules: averages could hide differences.
TEST(FoundingTableRuns, EachSeedGivesItsOwnNumbers) {
  struct single {
    std::uint32_t seed;
    steal_end end;
    std::uint64_t time, steals, attempts;
  };
  const dag job = fib_dag(20);
  const layout where = flat_layout(16);
  for (const single& s :
       {single{0, steal_end::oldest, 2775, 162, 619}, single{1, steal_end::oldest, 2771, 142, 555},
        single{2, steal_end::oldest, 2778, 220, 667},
        single{0, steal_end::newest, 2942, 1782, 3291},
        single{1, steal_end::newest, 2859, 1007, 1963},
        single{2, steal_end::newest, 2903, 1383, 2667}}) {
    run_options options;
    options.end = s.end;
    options.seed = s.seed;
    const run_result r = simulate(job, where, options);
    EXPECT_EQ(r.time, s.time * ticks_per_step) << s.seed;
    EXPECT_EQ(r.steals, s.steals) << s.seed;
    EXPECT_EQ(r.attempts, s.attempts) << s.seed;
  }
}

// "T_P stays near work/P + span; steals per worker per unit of span 0.2 to 0.3 from 16 to 64".
TEST(FoundingTableShape, TimeAndStealsScaleAsTheTheorySays) {
  const dag job = fib_dag(20);
  for (const std::size_t workers : {16U, 32U, 64U}) {
    const measurement m = measure(job, flat_layout(workers), {}, 3);
    EXPECT_LT(m.time, 1.02 * m.greedy_bound()) << workers;
    EXPECT_GE(m.steals_per_worker_span(), 0.2) << workers;
    EXPECT_LE(m.steals_per_worker_span(), 0.3) << workers;
  }
}

}  // namespace
