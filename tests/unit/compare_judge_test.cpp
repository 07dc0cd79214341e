// The judgement of a comparison: how often it claims what is not there, and finds what is.
#include "compare/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compare/stop_rule.hpp"
#include "compare_made_up_runs.hpp"

namespace tacho::TEST_FILE {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

// Pairs with slow changes that both runs of a pair share, and noise with a heavy tail (a run in
// twenty is disturbed), as on a shared machine.
Pairs noisy_pairs(std::size_t n, double ratio, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  double drift = 0;
  const auto run = [&] {
    const double disturbed = uniform(random) < 0.05 ? std::abs(normal(random)) * 0.1 : 0;
    return std::exp(drift + 0.01 * normal(random) + disturbed);
  };
  Pairs pairs;
  for (std::size_t i = 0; i < n; ++i) {
    drift += 0.02 * normal(random);
    const double before = run();
    pairs.emplace_back(before, ratio * run());
  }
  return pairs;
}

PairedChange change_of(const PairedRuns& runs) {
  return judge(runs).front();
}

TEST(Judgement, ClaimsADifferenceBetweenEqualCommandsInFiveOfAHundred) {
  std::mt19937_64 random(1);
  constexpr int kComparisons = 2'000;
  int claims = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const ChangeVerdict verdict = change_of(made_up_runs(noisy_pairs(20, 1, random))).verdict;
    claims += verdict == ChangeVerdict::less || verdict == ChangeVerdict::more;
  }
  // Binomial, 5 %: 3.4 to 6.6 % in 999 of 1,000 such tests. The exact level of 20 pairs is 4.8 %.
  EXPECT_GT(claims, 0.034 * kComparisons);
  EXPECT_LT(claims, 0.066 * kComparisons);
}

TEST(Judgement, TheIntervalHoldsTheTrueRatio) {
  std::mt19937_64 random(2);
  constexpr int kComparisons = 2'000;
  int held = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const PairedChange change = change_of(made_up_runs(noisy_pairs(20, 1.07, random)));
    held += change.low <= 0.07 && 0.07 <= change.high;
    EXPECT_LE(change.low, change.estimate);
    EXPECT_LE(change.estimate, change.high);
  }
  EXPECT_GT(held, 0.93 * kComparisons);
  EXPECT_LT(held, 0.98 * kComparisons);
}

TEST(Judgement, SlowChangesThatAPairSharesDoNotHideADifference) {
  std::mt19937_64 random(3);
  int found = 0;
  for (int i = 0; i < 200; ++i)
    found += change_of(made_up_runs(noisy_pairs(40, 1.02, random))).verdict == ChangeVerdict::more;
  EXPECT_GT(found, 190) << "the machine drifts by 2 % a pair, and 2 % more are found";
}

TEST(Judgement, AMetricThatWasZeroIsComparedByDifferences) {
  PairedRuns runs = made_up_runs(Pairs(10, {1.0, 1.0}));
  add_metric(runs, "faults", Pairs(10, {0.0, 3.0}));
  const PairedChange faults = judge(runs).back();
  EXPECT_EQ(faults.scale, ChangeScale::difference);
  EXPECT_EQ(faults.verdict, ChangeVerdict::more);
  EXPECT_DOUBLE_EQ(faults.estimate, 3);
}

TEST(Judgement, WhatIsTheSameInEveryPairIsTheSame) {
  const PairedChange change = change_of(made_up_runs(Pairs(10, {2.0, 2.0})));
  EXPECT_EQ(change.verdict, ChangeVerdict::equal);
  EXPECT_EQ(change.low, 0);
  EXPECT_EQ(change.high, 0);
}

TEST(Judgement, TooFewPairsDecideNothing) {
  const PairedChange change = change_of(made_up_runs(Pairs(4, {1.0, 2.0})));
  EXPECT_EQ(change.verdict, ChangeVerdict::undecided);
  EXPECT_FALSE(std::isfinite(change.high));
}

TEST(Judgement, PairsWithoutAValueAreLeftOut) {
  PairedRuns runs = made_up_runs(Pairs(12, {1.0, 1.5}));
  runs.runs.front().values.front().reset();
  EXPECT_EQ(change_of(runs).pairs, 11U);
  for (ComparedRun& run : runs.runs) run.values.front().reset();
  EXPECT_EQ(change_of(runs).verdict, ChangeVerdict::missing);
}

TEST(Judgement, OneSimulatedRunOfEachShowsNothing) {
  PairedRuns runs = made_up_runs({{200, 150}});
  runs.machine.pmu_kind = PmuKind::simulated;
  EXPECT_EQ(change_of(runs).verdict, ChangeVerdict::undecided);
}

TEST(Judgement, TwoSimulatedRunsThatCountAlikeAreExact) {
  PairedRuns runs = made_up_runs({{200, 150}, {200, 150}});
  runs.machine.pmu_kind = PmuKind::simulated;
  const PairedChange change = change_of(runs);
  EXPECT_EQ(change.verdict, ChangeVerdict::less);
  EXPECT_DOUBLE_EQ(change.low, -0.25);
  EXPECT_DOUBLE_EQ(change.high, -0.25);
}

TEST(Judgement, SimulatedRunsThatAreAllAlikeAreExactHoweverMany) {
  PairedRuns runs = made_up_runs(Pairs(3, {200, 150}));
  runs.machine.pmu_kind = PmuKind::simulated;
  EXPECT_EQ(change_of(runs).verdict, ChangeVerdict::less);
  EXPECT_DOUBLE_EQ(change_of(runs).high, -0.25);
  runs.baseline = {.started = "2026-01-01", .machine = {}};
  EXPECT_DOUBLE_EQ(change_of(runs).high, -0.25);
  runs.runs.back().values.front() = 160;  // a random program
  runs.baseline.reset();
  EXPECT_EQ(change_of(runs).verdict, ChangeVerdict::undecided);
}

TEST(Judgement, APrimaryMetricWithoutValuesIsMissing) {
  PairedRuns runs = made_up_runs(Pairs(20, {1, 2}));
  runs.looks = {10, 20};
  runs.ends_when_decided = true;
  for (ComparedRun& run : runs.runs) run.values.front().reset();
  EXPECT_EQ(change_of(runs).verdict, ChangeVerdict::missing);
}

TEST(Judgement, OtherMetricsShareOneLevel) {
  std::mt19937_64 random(4);
  constexpr int kComparisons = 1'000;
  constexpr int kMetrics = 10;
  int claims = 0;
  for (int i = 0; i < kComparisons; ++i) {
    PairedRuns runs = made_up_runs(noisy_pairs(20, 1, random));
    for (int metric = 0; metric < kMetrics; ++metric)
      add_metric(runs, "m" + std::to_string(metric), noisy_pairs(20, 1, random));
    bool any = false;
    for (const PairedChange& change : judge(runs))
      any = any || (change.metric != runs.primary && (change.verdict == ChangeVerdict::less ||
                                                      change.verdict == ChangeVerdict::more));
    claims += any;
  }
  EXPECT_LT(claims, 0.073 * kComparisons) << "5 %, in 999 of 1,000 such tests";
}

TEST(Judgement, ABaselineOfAnotherSessionGetsAWiderInterval) {
  std::mt19937_64 random(5);
  PairedRuns runs = made_up_runs(noisy_pairs(40, 1.05, random));
  const PairedChange paired = change_of(runs);
  runs.baseline = {.started = "2026-01-01", .machine = {}};
  const PairedChange apart = change_of(runs);
  EXPECT_GT(apart.high - apart.low, 2 * (paired.high - paired.low))
      << "the drift that a pair shares is between sessions, too";
}

TEST(Looks, ManyMetricsCanBeSignificantAtTheFirst) {
  EXPECT_EQ(usual_stop_rule(1, false).looks.front(), 10U);
  const StopRule rule = usual_stop_rule(40, false);
  const double smallest = 2 * std::pow(0.5, rule.looks.front());  // of a signed-rank test
  EXPECT_LE(smallest, 0.016 / 40);
}

TEST(Looks, StoppingAtALookKeepsFivePerCent) {
  std::mt19937_64 random(6);
  constexpr int kComparisons = 1'500;
  const StopRule rule = usual_stop_rule(1, false);
  int claims = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const Pairs all = noisy_pairs(rule.looks.back(), 1, random);
    for (const std::size_t look : rule.looks) {
      const PairedRuns runs =
          made_up_runs({all.begin(), all.begin() + static_cast<long>(look)}, 0.016);
      const auto changes = judge(runs);
      const auto stopped = settled(runs, changes, rule, {});
      claims += stopped == Stopped::decided;
      if (stopped) break;
    }
  }
  EXPECT_LT(claims, 0.069 * kComparisons) << "5 %, in 999 of 1,000 such tests";
  EXPECT_GT(claims, 0.020 * kComparisons) << "a test that never claims is none";
}

// The interval after four looks is narrower than that of one look at the same level, also if the
// estimate is nearly 0.
TEST(Looks, AnUndecidedIntervalIsAsWideAsTheSpreadOfThePairs) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300; ++i) {
    PairedRuns runs = made_up_runs(noisy_pairs(80, 1, random), 0.016);
    const PairedChange plain = change_of(runs);
    if (plain.verdict != ChangeVerdict::undecided) continue;
    runs.looks = {10, 20, 40, 80};
    runs.ends_when_decided = true;
    const PairedChange change = change_of(runs);
    EXPECT_GT(change.high - change.low, 0.6 * (plain.high - plain.low)) << i;
    EXPECT_LT(change.high - change.low, 1.01 * (plain.high - plain.low)) << i;
    EXPECT_LE(change.low, change.estimate) << i;
    EXPECT_LE(change.estimate, change.high) << i;
  }
}

TEST(Looks, TheIntervalHoldsTheTrueRatioWheneverItEnds) {
  std::mt19937_64 random(9);
  for (const double ratio : {1.0, 1.005, 1.01, 1.03, 1.2}) {
    constexpr int kComparisons = 600;
    int held = 0;
    for (int i = 0; i < kComparisons; ++i) {
      const Pairs all = noisy_pairs(80, ratio, random);
      for (const std::size_t look : {10U, 20U, 40U, 80U}) {
        PairedRuns runs = made_up_runs({all.begin(), all.begin() + static_cast<long>(look)}, 0.016);
        runs.looks = {10, 20, 40, 80};
        runs.ends_when_decided = true;
        const PairedChange change = change_of(runs);
        if (change.verdict == ChangeVerdict::undecided && look < 80) continue;
        held += change.low <= ratio - 1 && ratio - 1 <= change.high;
        break;
      }
    }
    EXPECT_GT(held, 0.92 * kComparisons) << ratio << ": 95 %, in 999 of 1,000 such tests";
    EXPECT_LT(held, 0.99 * kComparisons) << ratio;
  }
}

TEST(Looks, APrecisionOrAGateThatIsAskedForDecides) {
  std::mt19937_64 random(7);
  const PairedRuns runs = made_up_runs(noisy_pairs(40, 1.05, random));
  const auto changes = judge(runs);
  EXPECT_EQ(settled(runs, changes, {.looks = {40}, .seconds = {}, .precision = 0.5}, {}),
            Stopped::precise);
  EXPECT_EQ(settled(runs, changes, {.looks = {40}, .seconds = {}, .precision = 0.0001}, {}),
            std::nullopt);
  EXPECT_EQ(settled(runs, changes, StopRule(), {*parse_gate("cpu<=+20%")}), Stopped::decided);
  EXPECT_EQ(settled(runs, changes, StopRule(), {*parse_gate("cpu<=+5%")}), std::nullopt);
}

}  // namespace
}  // namespace tacho::TEST_FILE
