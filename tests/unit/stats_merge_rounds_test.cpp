// Merging rounds keeps sums and estimates, and bounds the number of periods.
#include "stats/merge_rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "estimate/summarise.hpp"
#include "stats/ratio.hpp"
#include "stats_simulation.hpp"

namespace tacho::TEST_FILE {
namespace {

std::uint64_t sum_of_counts(const Measurement& m, std::uint32_t set) {
  std::uint64_t sum = 0;
  for (const Period& period : m.periods)
    if (period.set == set) sum += period.counts[0];
  return sum;
}

Measurement simulated(std::size_t rounds) {
  simulation::Random random(5);
  simulation::Truth truth;
  return simulation::run({simulation::Work::steady, 4, rounds, true}, random, truth);
}

TEST(MergeRounds, MergesNeighbouringRoundsAndKeepsEverySum) {
  const Measurement before = simulated(101);
  Measurement after = before;
  merge_rounds(after);
  EXPECT_EQ(after.merge_factor, 2U);
  EXPECT_LE(after.periods.size(), 51U * 4);
  for (std::uint32_t set = 0; set < 4; ++set)
    EXPECT_EQ(sum_of_counts(after, set), sum_of_counts(before, set));
  EXPECT_EQ(whole_reference(after).value, whole_reference(before).value);
  EXPECT_EQ(after.periods.back().round, 50U);
}

// A stretch then has four merged turns, so its rate is a mean over more of the run.
TEST(MergeRounds, HardlyChangesTheEstimateAndTheInterval) {
  Measurement m = simulated(200);
  const Summary before = summarise(m, {});
  merge_rounds(m);
  const Summary after = summarise(m, {});
  EXPECT_NEAR(*after.events[0].estimate, *before.events[0].estimate, 0.2 * *before.events[0].ci95);
  EXPECT_NEAR(*after.events[0].ci95 / *before.events[0].ci95, 1, 0.3);
  // A pair of rounds counts as two, even if the second one is incomplete.
  EXPECT_NEAR(static_cast<double>(after.events[0].periods),
              static_cast<double>(before.events[0].periods), 1);
}

TEST(MergeRounds, KeepsPeriodsWithoutCountersOutOfTheEstimate) {
  Measurement m = simulated(60);
  for (Period& period : m.periods) {
    if (period.set != 0 || period.round % 6 != 0) continue;
    period.counts = {0, 0};
    period.reference = 0;  // a counter of the same group, which did not run either
    period.running_ns = 0;
  }
  const double before = *summarise(m, {}).events[0].estimate;
  merge_rounds(m);
  EXPECT_NEAR(*summarise(m, {}).events[0].estimate / before, 1, 0.02);
}

TEST(AddPeriod, BoundsTheNumberOfPeriodsOnAnyRun) {
  const Measurement whole = simulated(500);
  Measurement bounded = whole;
  bounded.periods.clear();
  for (const Period& period : whole.periods) {
    add_period(bounded, period, 256);
    ASSERT_LT(bounded.periods.size(), 256U);
  }
  EXPECT_EQ(bounded.merge_factor, 8U);  // 2,000 periods, at most 256 entries
  for (std::uint32_t set = 0; set < 4; ++set)
    EXPECT_EQ(sum_of_counts(bounded, set), sum_of_counts(whole, set));
  const EventSummary of_all = summarise(whole, {}).events[0];
  EXPECT_NEAR(*summarise(bounded, {}).events[0].estimate, *of_all.estimate, 0.2 * *of_all.ci95);
}

}  // namespace
}  // namespace tacho::TEST_FILE
