// The figures of a region from the durations of its executions. The durations are invented, because
// a loaded machine would lengthen measured ones.
#include "caliper/totals.hpp"

#include <gtest/gtest.h>

#include "caliper_drawn_regions.hpp"
#include "caliper_own_record.hpp"

namespace tacho::caliper::TEST_FILE {
namespace {

constexpr OwnCost kCost = {.inside = 20, .outside = 50};

// Twenty executions that take `ticks` each, with `inner` executions inside each. One waited for a
// CPU for `waited` ticks.
RegionFigures figures(std::uint64_t ticks, std::uint64_t inner, std::uint64_t waited = 0) {
  OwnRecord record;
  const std::uint64_t subtracted = inner * kCost.outside;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t left = ticks + (i == 7 ? waited : 0);
    record.execute(left, 0);
    if (left - kCost.inside < subtracted) record->ticks.outweighed.add(subtracted);
  }
  Totals totals;
  totals.ticks = record.sum_of(0, kCost, {.measured = 20 * inner, .unmeasured = 0});
  return totals.figures("made up", nullptr);
}

TEST(CaliperTotals, ARegionAroundMoreMeasuringThanWorkIsTooShortToTrust) {
  EXPECT_TRUE(figures(30'000, 1'000).too_short) << "50,000 ticks were subtracted";
  EXPECT_FALSE(figures(1'000'000, 1).too_short);
  EXPECT_FALSE(figures(30'000, 500).too_short);
}

TEST(CaliperTotals, TheMarkDoesNotDependOnWaitingForACpu) {
  EXPECT_TRUE(figures(30'000, 1'000, 10'000'000).too_short);
  EXPECT_FALSE(figures(1'000'000, 1, 10'000'000).too_short);
  EXPECT_TRUE(figures(30, 0, 10'000'000).too_short);
}

TEST(CaliperTotals, ARegionShorterThanItsOwnMeasuringIsTooShortToTrust) {
  EXPECT_TRUE(figures(30, 0).too_short);
  EXPECT_FALSE(figures(100, 0).too_short);
}

// 300 draws: if 95 % hold, fewer than 90.5 % come once in 3,000 times.
TEST(CaliperTotals, IntervalsOfEventsThatTakeTurnsHoldTheCountsOfThisRun) {
  using drawn::Calls;
  for (const Calls kind : {Calls::steady, Calls::skewed, Calls::two_kinds}) {
    const drawn::RegionScores scores = drawn::score_regions(kind, 1000, 2e5, 2, 300, 7);
    EXPECT_EQ(scores.total.without(), 0U) << static_cast<int>(kind);
    EXPECT_GE(scores.total.held(), 0.905) << static_cast<int>(kind);
    EXPECT_EQ(scores.mean.held(), scores.total.held()) << static_cast<int>(kind);
    EXPECT_EQ(scores.median.held(), 1) << static_cast<int>(kind);
  }
}

// Executions of 1 or of 25 units of time, which alternate. A turn ends in most of the long ones, so
// nearly all executions that were counted from begin to end are short.
TEST(CaliperTotals, TheMeanOfAnEventIsThatOfAllExecutionsAlsoOfThoseWithATurnInside) {
  OwnRecord record;
  TurnSeries series;
  TurnSeries of_other_set;
  Totals totals;
  for (std::uint32_t i = 0; i < 40; ++i) {
    record.execute(1'000, 10);
    record.add_ticks(25'000);
    series.add(i, 13'000, 130);  // half of what the two executions take and count
    of_other_set.add(i, 13'000, 0);
    totals.reference += 26'000;
  }
  totals.ticks = record.sum_of(0);
  totals.events.resize(2);
  totals.events[0].sum = record.sum_of(1);
  series.add_to(totals.events[0].turns);
  of_other_set.add_to(totals.events[1].turns);
  CountingPlan plan;
  plan.events.resize(2);
  plan.requested = 2;
  plan.refused.resize(2);
  plan.sets = {{0}, {1}};
  plan.set_of = {0, 1};
  const Quantity event = totals.figures("made up", &plan).quantities[1];
  EXPECT_NEAR(event.total, 40 * 260, 1);
  EXPECT_NEAR(event.mean, 130, 0.1) << "10 is that of the short ones";
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
