// The ratio estimator on runs that are small enough to calculate by hand.
#include "stats/ratio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stats/student.hpp"

namespace tacho::TEST_FILE {
namespace {

Period turn(std::uint32_t round, std::uint32_t set, std::uint64_t reference, std::uint64_t count) {
  Period period;
  period.round = round;
  period.set = set;
  period.reference = reference;
  period.enabled_ns = period.running_ns = 1'000'000;
  period.counts = {count};
  return period;
}

Measurement two_sets(std::vector<Period> periods, std::uint64_t total) {
  Measurement m;
  m.sets = 2;
  m.periods = std::move(periods);
  m.reference_total = total;
  return m;
}

TEST(Ratio, ScalesByTheReferenceOfTheWholeRunGapsIncluded) {
  const Measurement m = two_sets(
      {turn(0, 0, 100, 50), turn(0, 1, 100, 7), turn(1, 1, 300, 7), turn(1, 0, 300, 110)}, 1000);
  const auto sets = turns_of_sets(m);
  const RatioEstimate x = estimate_ratio(m, sets[0], 0, whole_reference(m));
  EXPECT_DOUBLE_EQ(x.counted, 160);
  EXPECT_DOUBLE_EQ(x.value, 400);  // 160 / 400 of 1000
  EXPECT_DOUBLE_EQ(x.share, 0.4);
  ASSERT_EQ(x.pulls.size(), 2U);
  // The rates differ by 0.5 - 0.11 / 0.3 = 2 / 15. Each turn stands for 2.5 times what it covered:
  // 2 / 15 · √(100 · 300) · 2.5 = 57.735.
  EXPECT_NEAR(x.pulls[0], 57.735 / 2, 1e-3);
  EXPECT_NEAR(x.pulls[1], -57.735 / 2, 1e-3);
}

// Two phases. The set has had twice as much of the first one, by chance. Each stretch of four turns
// has a rate of its own.
TEST(Ratio, WeighsEachStretchByItsPartOfTheRun) {
  std::vector<Period> periods;
  for (std::uint32_t round = 0; round < 4; ++round) {
    periods.push_back(turn(round, 0, 200, 200));
    periods.push_back(turn(round, 1, 100, 100));
  }
  for (std::uint32_t round = 4; round < 8; ++round) {
    periods.push_back(turn(round, 1, 200, 2000));
    periods.push_back(turn(round, 0, 100, 1000));
  }
  const Measurement m = two_sets(periods, 2400);
  const SetTurns turns = turns_of_sets(m)[0];
  // They meet halfway between 1100, the end of the fourth turn, and 1400, the start of the fifth.
  EXPECT_DOUBLE_EQ(turns.stands_for(0), 1250 / 4.0);
  EXPECT_DOUBLE_EQ(turns.stands_for(7), 1150 / 4.0);
  EXPECT_DOUBLE_EQ(turns.stands_for_total, 2400);
  EXPECT_DOUBLE_EQ(estimate_ratio(m, turns, 0, {2400}).value, 1250 * 1 + 1150 * 10);
}

// A count can come in a turn without reference: a page fault before the clock's next tick.
TEST(Ratio, CountsInATurnWithoutReferenceBelongToTheStretch) {
  std::vector<Period> periods;
  for (std::uint32_t round = 0; round < 4; ++round)
    periods.push_back(turn(round, 0, round == 1 ? 0 : 100, 10));
  const Measurement m = two_sets(periods, 600);
  EXPECT_DOUBLE_EQ(estimate_ratio(m, turns_of_sets(m)[0], 0, {600}).value, 80);  // 40 / 300 of 600
}

// The workload slept while this set was on: the turn of 1 must not stand for half of the run.
TEST(Ratio, AStretchOfWhichTheSetSawNearlyNothingGoesOn) {
  std::vector<Period> periods;
  for (std::uint32_t round = 0; round < 12; ++round) {
    periods.push_back(turn(round, 0, round < 4 ? 1 : 100, round < 4 ? 5 : 100));
    periods.push_back(turn(round, 1, 100, 100));
  }
  const Measurement m = two_sets(periods, 2004);
  const SetTurns turns = turns_of_sets(m)[0];
  EXPECT_LT(turns.stands_for(0), 10);
}

// A period belongs to the interval (-I) in which it ends, so the periods of an interval may cover
// more time than the interval.
TEST(Ratio, ScalesAnIntervalByItsOwnReferenceAlsoWhereItsFirstPeriodBeganBefore) {
  Measurement m = two_sets({turn(0, 0, 600, 60), turn(0, 1, 600, 6)}, 1000);
  EXPECT_DOUBLE_EQ(whole_reference(m).value, 1000);
  const RatioEstimate x = estimate_ratio(m, turns_of_sets(m)[0], 0, whole_reference(m));
  EXPECT_DOUBLE_EQ(x.value, 100);
  m.workload.elapsed_s = 10;
  m.turning_s = 0.2;
  EXPECT_DOUBLE_EQ(whole_reference(m).value, 990);
}

TEST(Ratio, UsesTheSumOfThePeriodsIfNoTotalWasCounted) {
  const Measurement m = two_sets({turn(0, 0, 600, 1), turn(0, 1, 600, 1)}, 0);
  EXPECT_DOUBLE_EQ(whole_reference(m).value, 1200);
}

// The reference is 1000 in 10 s. The periods have 900 of it, and the turns take 1 s: half of the
// remaining 100 is progress.
TEST(Ratio, CountsHalfOfTheReferenceDuringTurnsAsProgress) {
  Measurement m = two_sets({turn(0, 0, 450, 9), turn(0, 1, 450, 9)}, 1000);
  m.workload.elapsed_s = 10;
  m.turning_s = 1;
  EXPECT_DOUBLE_EQ(whole_reference(m).value, 950);
  EXPECT_NEAR(whole_reference(m).doubt95, 1.96 * 50 / std::sqrt(3), 0.01);
  m.turning_s = 0.2;  // the rest is elsewhere, for example in a set that could not be opened
  EXPECT_DOUBLE_EQ(whole_reference(m).value, 990);
}

// Four periods of 10 ms were asked for. The kernel charged 40 ms, but task-clock counted 50 ms: one
// period of set 1 was longer by as much.
Measurement with_stolen_time(std::uint64_t longest) {
  constexpr std::uint64_t kMs = 1'000'000;
  std::vector<Period> periods;
  for (const std::uint64_t length : {longest, 50 - 10 - 10 - longest})
    for (const std::uint32_t set : {1U, 0U})
      periods.push_back(
          turn(periods.size() < 2 ? 0 : 1, set, (set == 0 ? 10 : length) * kMs, 1000));
  Measurement m = two_sets(periods, 50 * kMs);
  m.reference = "task-clock";
  m.period_ms = 10;
  m.workload.has_usage = true;
  m.workload.user_s = 0.04;
  m.workload.elapsed_s = 0.05;
  return m;
}

TEST(Ratio, TakesStolenTimeOutOfThePeriodThatWasLongerThanAsked) {
  const Measurement m = with_stolen_time(20);
  const std::vector<SetTurns> sets = turns_of_sets(m);
  EXPECT_THAT(sets[0].covered, testing::Each(testing::DoubleNear(10e6, 1)));
  EXPECT_THAT(sets[1].covered, testing::Each(testing::DoubleNear(10e6, 1)));
  EXPECT_NEAR(whole_reference(m).value, 40e6, 1);
  EXPECT_NEAR(whole_reference(m).doubt95, 1.96 * 5e6 / std::sqrt(3), 1e4);
  EXPECT_NEAR(estimate_ratio(m, sets[0], 0, whole_reference(m)).value, 4000, 1e-3);
}

TEST(Ratio, TakesStolenTimeOutOfAllPeriodsAlikeIfNoneWasLongerThanAsked) {
  Measurement m = with_stolen_time(20);
  m.period_ms = 100;
  const std::vector<SetTurns> sets = turns_of_sets(m);
  EXPECT_THAT(sets[0].covered, testing::Each(testing::DoubleNear(8e6, 1)));
  EXPECT_NEAR(sets[0].covered_total + sets[1].covered_total, 40e6, 1);
}

// Two sets with turns of 10 ms, as asked. The last turn of set 1 lasts for 80 ms: set 0 is blind
// for 80 of 140 ms, in which its rate may have been anything from 0 to twice the mean.
TEST(Ratio, ALongTurnWidensTheIntervalsOfTheOtherSets) {
  std::vector<Period> periods;
  for (std::uint32_t round = 0; round < 4; ++round)
    for (const std::uint32_t set : {0U, 1U}) {
      const std::uint64_t ms = round == 3 && set == 1 ? 80 : round == 3 ? 0 : 10;
      if (ms == 0) continue;
      periods.push_back(turn(round, set, ms * 1'000'000, 100 * ms));
      periods.back().duration_s = static_cast<double>(ms) / 1e3;
    }
  Measurement m = two_sets(periods, 140'000'000);
  m.period_ms = 10;
  const std::vector<SetTurns> sets = turns_of_sets(m);
  EXPECT_DOUBLE_EQ(sets[0].blind, 80e6);
  EXPECT_DOUBLE_EQ(sets[1].blind, 0);
  const RatioEstimate x = estimate_ratio(m, sets[0], 0, whole_reference(m));
  EXPECT_NEAR(x.value, 14'000, 1e-6);
  EXPECT_NEAR(half_width95(x, sets[0]), 1.96 / std::sqrt(3) * 14'000 * 80 / 140, 1);
  m.period_ms = 50;  // then 80 ms are no long turn
  EXPECT_DOUBLE_EQ(turns_of_sets(m)[0].blind, 0);
}

TEST(Ratio, LeavesOutPeriodsInWhichTheKernelGaveTheSetNoCounter) {
  std::vector<Period> periods{turn(0, 0, 100, 50), turn(1, 0, 100, 0), turn(2, 0, 100, 50)};
  periods[1].running_ns = 0;
  const Measurement m = two_sets(periods, 600);
  const SetTurns turns = turns_of_sets(m)[0];
  EXPECT_EQ(turns.periods.size(), 2U);
  EXPECT_DOUBLE_EQ(estimate_ratio(m, turns, 0, {600}).value, 300);
  EXPECT_NEAR(turns.running, 2.0 / 3, 1e-12);
}

TEST(Ratio, CountsTheReferenceOnlyWhileTheCountersRan) {
  // The reference is a counter of the set: in half of the running time it counts half.
  std::vector<Period> periods{turn(0, 0, 100, 50), turn(1, 0, 50, 25)};
  periods[1].running_ns = periods[1].enabled_ns / 2;
  const Measurement m = two_sets(periods, 400);
  EXPECT_DOUBLE_EQ(estimate_ratio(m, turns_of_sets(m)[0], 0, {400}).value, 200);
}

TEST(Ratio, LeavesOutPeriodsInWhichTheWorkloadSlept) {
  const Measurement m =
      two_sets({turn(0, 0, 100, 50), turn(1, 0, 0, 0), turn(2, 0, 0, 0), turn(3, 0, 100, 60)}, 400);
  EXPECT_EQ(turns_of_sets(m)[0].periods.size(), 2U);
}

TEST(Ratio, IgnoresPeriodsOfSetsThatDoNotExist) {
  const Measurement m = two_sets({turn(0, 0, 100, 50), turn(0, 9, 100, 50)}, 200);
  EXPECT_EQ(turns_of_sets(m).size(), 2U);
}

TEST(Ratio, NumbersRoundsWithoutGaps) {
  const Measurement m = two_sets({turn(7, 0, 1, 1), turn(4'000'000'000, 0, 1, 1)}, 2);
  EXPECT_EQ(turns_of_sets(m)[0].rounds, (std::vector<std::size_t>{0, 1}));
}

TEST(Interval, IsTheFormulaOfSecondDifferencesWhenSymmetric) {
  const std::vector<double> pulls{1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
  const std::vector<double> weights(10, 5.0);
  const double variance = 10.0 / 9 * (8 * 16.0 / 6 + (4.0 + 4.0) / 2);
  EXPECT_NEAR(half_width95(pulls, weights), student_t95(1800.0 / 358 - 1) * std::sqrt(variance),
              1e-9);
}

TEST(Interval, IsNotWidenedByASlowChange) {
  std::vector<double> steps(100, -1.0), noise(100);
  for (std::size_t i = 50; i < 100; ++i) steps[i] = 1;
  for (std::size_t i = 0; i < 100; ++i) noise[i] = (i * 7 % 10 < 5) ? -1 : 1;
  const std::vector<double> weights(100, 1.0);
  EXPECT_LT(half_width95(steps, weights), 0.25 * half_width95(noise, weights));
}

TEST(Interval, OfASteadyDriftComesFromItsEndsAlone) {
  std::vector<double> drift(100);
  for (std::size_t i = 0; i < drift.size(); ++i) drift[i] = static_cast<double>(i) - 49.5;
  const std::vector<double> weights(100, 1.0);
  // Only the two ends remain: each stands for a difference of 1.
  const double freedom = 18 * 1e4 / 3508 - 1;
  EXPECT_NEAR(half_width95(drift, weights), student_t95(freedom) * std::sqrt(100.0 / 99), 1e-9);
}

TEST(Interval, IsWiderForSkewedPulls) {
  // The same lone peaks, once up and down in turn, once all up.
  std::vector<double> even(32), skewed(32, -1);
  for (std::size_t i = 3; i < 32; i += 8) {
    even[i] = i % 16 == 3 ? 8 : -8;
    skewed[i] = 7;
  }
  const std::vector<double> weights(32, 1.0);
  EXPECT_GT(half_width95(skewed, weights), 1.1 * half_width95(even, weights));
}

// The doubt of the whole reference moves numerator and denominator alike.
TEST(Interval, IncludesTheDoubtOfTheWholeReferenceWhichRatiosDoNotHave) {
  Measurement m;
  m.sets = 1;
  m.reference_total = 4000;
  for (std::uint32_t r = 0; r < 20; ++r) m.periods.push_back(turn(r, 0, 100, 50));
  const SetTurns turns = turns_of_sets(m)[0];
  const RatioEstimate x = estimate_ratio(m, turns, 0, {.value = 4000, .doubt95 = 40});
  EXPECT_DOUBLE_EQ(half_width95(x, turns), 20);
  const std::vector<Argument> one{{x.value, 1, &x, &turns}};
  const std::vector<Argument> two{{x.value, 1, &x, &turns}, {x.value, 1, &x, &turns}};
  EXPECT_DOUBLE_EQ(*half_width95([](std::span<const double> v) { return 2 * v[0]; }, one), 40);
  EXPECT_DOUBLE_EQ(*half_width95([](std::span<const double> v) { return v[0] / v[1]; }, two), 0);
}

TEST(NoneSeen, IsTheMostThatCouldHaveHiddenAtOneInTwenty) {
  EXPECT_NEAR(std::pow(0.75, none_seen_bound(0.25)), 0.05, 1e-12);
  EXPECT_NEAR(none_seen_bound(0.001), 3000, 10);  // the rule of three
  EXPECT_EQ(none_seen_bound(1), 0);
}

// Two events of one set whose errors cancel in their ratio, because they went together.
TEST(Jackknife, LetsErrorsOfOneSetCancelInTheirRatio) {
  Measurement m;
  m.sets = 1;
  m.reference_total = 4000;
  for (std::uint32_t r = 0; r < 20; ++r) {
    Period period = turn(r, 0, 100, 0);
    const std::uint64_t x = r % 3 == 0 ? 900 : 100;
    period.counts = {x, 3 * x};
    m.periods.push_back(period);
  }
  const SetTurns turns = turns_of_sets(m)[0];
  const RatioEstimate x = estimate_ratio(m, turns, 0, {4000});
  const RatioEstimate y = estimate_ratio(m, turns, 1, {4000});
  const std::vector<Argument> arguments{{x.value, 1, &x, &turns}, {y.value, 1, &y, &turns}};
  const auto ratio = [](std::span<const double> v) { return v[1] / v[0]; };
  EXPECT_GT(half_width95(x, turns) / x.value, 0.3);
  EXPECT_NEAR(*half_width95(ratio, arguments), 0, 1e-9);
}

TEST(Jackknife, IsTheEventsOwnIntervalForTheIdentity) {
  Measurement m;
  m.sets = 1;
  m.reference_total = 4000;
  for (std::uint32_t r = 0; r < 30; ++r) m.periods.push_back(turn(r, 0, 100, r * 31 % 17));
  const SetTurns turns = turns_of_sets(m)[0];
  const RatioEstimate x = estimate_ratio(m, turns, 0, {4000});
  const std::vector<Argument> arguments{{x.value / 8, 0.125, &x, &turns}};
  const auto identity = [](std::span<const double> v) { return v[0]; };
  EXPECT_NEAR(*half_width95(identity, arguments), half_width95(x, turns) / 8, 1e-9);
}

TEST(Jackknife, GivesNoIntervalWhenAllHangsOnOneRound) {
  Measurement m;
  m.sets = 1;
  m.reference_total = 4000;
  for (std::uint32_t r = 0; r < 20; ++r) m.periods.push_back(turn(r, 0, 100, r == 5 ? 3 : 0));
  const SetTurns turns = turns_of_sets(m)[0];
  const RatioEstimate x = estimate_ratio(m, turns, 0, {4000});
  const std::vector<Argument> arguments{{4000}, {x.value, 1, &x, &turns}};
  EXPECT_FALSE(half_width95([](std::span<const double> v) { return v[0] / v[1]; }, arguments));
}

}  // namespace
}  // namespace tacho::TEST_FILE
