// Intervals of quantiles, against the ranks that tables of order statistics give.
#include "stats/quantile.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tacho {
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

// Of many values, however many: 95 of 100 hold the truth.
TEST(Quantile, HoldsTheTruthAsOftenAsItSays) {
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

}  // namespace
}  // namespace tacho
