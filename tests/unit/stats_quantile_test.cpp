// Intervals of quantiles, compared with the ranks in tables of order statistics.
#include "stats/quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

Histogram ranks(std::uint64_t n) {
  Histogram histogram;
  for (std::uint64_t i = 1; i <= n; ++i) histogram.add(i);
  return histogram;
}

// Ranks of the 95 % interval of the median: W. J. Conover, Practical Nonparametric Statistics, 3.2.
TEST(Quantile, OfTheMedianHasTheRanksOfTheTables) {
  struct Row {
    std::uint64_t n, low, high;
  };
  for (const auto& [n, low, high] :
       {Row{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {50, 18, 33}, {100, 40, 61}}) {
    const QuantileInterval interval = quantile95(ranks(n), 0.5);
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
    EXPECT_TRUE(interval.sure) << n;
  }
}

TEST(Quantile, OfTooFewValuesIsNotSure) {
  const QuantileInterval interval = quantile95(ranks(5), 0.5);
  EXPECT_FALSE(interval.sure);
  EXPECT_EQ(interval.low, 1U);
  EXPECT_EQ(interval.high, 5U);
  EXPECT_FALSE(quantile95(ranks(20), 0.99).sure);
}

// 95 of 100 intervals contain the truth, for any number of values.
TEST(Quantile, ContainsTheTruthIn95Of100Runs) {
  std::mt19937_64 random(7);
  for (const std::uint64_t n : {30U, 300U, 1100U}) {
    int held = 0;
    for (int run = 0; run < 200; ++run) {
      Histogram histogram;
      for (std::uint64_t i = 0; i < n; ++i) histogram.add(random() % 100001);  // median 50000
      const QuantileInterval interval = quantile95(histogram, 0.5);
      held += interval.low <= 50000 && interval.high >= 50000 ? 1 : 0;
    }
    EXPECT_GE(held, 183) << n;
    EXPECT_LE(held, 199) << n;
  }
}

// A machine that is slow for some time and then fast. The truth is that of an endless run.
TEST(Quantile, OfValuesInTheirOrderContainsTheTruthIfNeighboursAreAlike) {
  constexpr int kTimes = 400, kValues = 101, kStretch = 5;
  for (const double q : {0.2, 0.5}) {
    std::mt19937_64 random(11);
    int held = 0, taken_for_independent = 0;
    for (int run = 0; run < kTimes; ++run) {
      std::vector<std::uint64_t> values;
      Histogram histogram;
      std::uint64_t level = random() % 10001;
      for (int i = 0; i < kValues; ++i) {
        if (random() % kStretch == 0) level = random() % 10001;
        values.push_back(level);
        histogram.add(level);
      }
      const double truth = 10000 * q;
      const Estimated it = quantile95_in_order(values, q);
      held += it.low <= truth && truth <= it.high ? 1 : 0;
      const QuantileInterval plain = quantile95(histogram, q);
      taken_for_independent +=
          static_cast<double>(plain.low) <= truth && truth <= static_cast<double>(plain.high) ? 1
                                                                                              : 0;
    }
    EXPECT_GE(held, kTimes * 93 / 100) << q;
    EXPECT_LT(taken_for_independent, kTimes * 80 / 100) << q;
  }
}

TEST(Quantile, OfAFewValuesInTheirOrderIsNotSure) {
  const std::vector<std::uint64_t> few{7, 8, 9};
  EXPECT_EQ(quantile95_in_order(few, 0.5).value, 8);
  EXPECT_FALSE(std::isfinite(quantile95_in_order(few, 0.5).high));
}

}  // namespace
}  // namespace tacho::TEST_FILE
