// Families of tests of pairs: their levels, and how often a family without a change claims one.
#include "stats/paired_changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using Metrics = std::vector<std::vector<double>>;

TEST(PairedChanges, TheIntervalExcludesZeroOnlyIfTheChangeIsSignificant) {
  std::mt19937_64 random(20261127);
  std::normal_distribution<double> noise;
  for (int time = 0; time < 300; ++time) {
    Metrics metrics(4, std::vector<double>(12));
    for (std::size_t metric = 0; metric < metrics.size(); ++metric)
      for (double& each : metrics[metric]) each = noise(random) + 0.5 * static_cast<double>(metric);
    for (const PairedTest& each : test_pairs(metrics)) {
      EXPECT_EQ(each.test.rejected, each.change.low > 0 || each.change.high < 0);
      EXPECT_EQ(each.test.rejected, each.test.adjusted <= 0.05);
    }
  }
}

TEST(PairedChanges, AMetricThatNeverDiffersTakesNothingFromTheOthers) {
  const std::vector<double> changed{1, 2, 3, 4, 5, 6};
  const std::vector<PairedTest> tests =
      test_pairs(Metrics{changed, std::vector<double>(6, 0.0), std::vector<double>(6, 0.0)});
  EXPECT_TRUE(tests[0].test.rejected);
  EXPECT_DOUBLE_EQ(tests[0].test.adjusted, 2.0 / 64);
  EXPECT_FALSE(tests[1].test.rejected);
  EXPECT_EQ(tests[1].change.low, 0);
  EXPECT_EQ(tests[1].change.high, 0);
}

TEST(PairedChanges, NothingIsTestedIfThereIsNoMetric) {
  EXPECT_TRUE(test_pairs({}).empty());
}

TEST(PairedChanges, FewestPairsAreThoseThatCanBeSignificant) {
  for (const std::size_t metrics : {1U, 3U, 20U, 100U}) {
    const std::size_t fewest = fewest_pairs(metrics);
    const auto least_p = [](std::size_t pairs) {
      return 2 * std::exp2(-static_cast<double>(pairs));
    };
    EXPECT_LE(least_p(fewest), 0.05 / static_cast<double>(metrics));
    EXPECT_GT(least_p(fewest - 1), 0.05 / static_cast<double>(metrics));
  }
}

TEST(PairedChanges, WithoutAChangeAFamilyRarelyClaimsOne) {
  std::mt19937_64 random(20261127);
  std::student_t_distribution<double> noise(2);  // now and then a run is far off
  constexpr int kTimes = 4000;
  int claimed = 0;
  for (int time = 0; time < kTimes; ++time) {
    Metrics metrics(5, std::vector<double>(12));
    for (auto& metric : metrics)
      for (double& each : metric) each = noise(random);
    claimed += std::ranges::any_of(test_pairs(metrics),
                                   [](const PairedTest& each) { return each.test.rejected; });
  }
  // 5 % at most, and four standard deviations. 12 pairs have few p-values, so it may be fewer.
  EXPECT_LE(claimed, 0.064 * kTimes);
  EXPECT_GE(claimed, 0.02 * kTimes);
}

}  // namespace
}  // namespace tacho::TEST_FILE
