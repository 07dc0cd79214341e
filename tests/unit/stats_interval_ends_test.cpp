// The ends of intervals of positive quantities.
#include "stats/interval_ends.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacho::TEST_FILE {
namespace {

TEST(IntervalEnds, AreNeverBelowZeroAndEquallyFarOnALogarithmicScale) {
  for (const double relative : {0.01, 0.3, 1.0, 5.0, 300.0}) {
    const IntervalEnds ends = positive_ends95(20, 20 * relative);
    EXPECT_GT(ends.low, 0);
    EXPECT_NEAR(ends.low * ends.high, 400, 1e-9);
    EXPECT_GT(ends.high, 20 * (1 + relative)) << "never narrower above than the half-width";
  }
}

// Each end is the true value μ for which the estimate is a half-width off, if the variance is
// proportional to μ.
TEST(IntervalEnds, SolveTheScoreEquation) {
  const double value = 12;
  const double half = 9;
  const IntervalEnds ends = positive_ends95(value, half);
  for (const double end : {ends.low, ends.high})
    EXPECT_NEAR(std::abs(value - end), half * std::sqrt(end / value), 1e-9);
}

TEST(IntervalEnds, OfASmallHalfWidthAreThoseOfPlusMinus) {
  const IntervalEnds ends = positive_ends95(1000, 1);
  EXPECT_NEAR(ends.low, 999, 0.001);
  EXPECT_NEAR(ends.high, 1001, 0.001);
}

TEST(IntervalEnds, WithoutAHalfWidthAreTheValue) {
  const IntervalEnds ends = positive_ends95(7, 0);
  EXPECT_EQ(ends.low, 7);
  EXPECT_EQ(ends.high, 7);
}

TEST(IntervalEnds, OfNoneSeenReachFromZeroToTheBound) {
  const IntervalEnds ends = positive_ends95(0, 12);
  EXPECT_EQ(ends.low, 0);
  EXPECT_EQ(ends.high, 12);
}

TEST(IntervalEnds, OfWhatIsNegativeAreSymmetric) {
  const IntervalEnds ends = positive_ends95(-2, 5);
  EXPECT_EQ(ends.low, -7);
  EXPECT_EQ(ends.high, 3);
}

// The exact 95 % interval of a Poisson count of 4 is 1.09 to 10.24, that of 1 is 0.025 to 5.57.
TEST(IntervalEnds, OfFewCountsAreCloseToTheExactOnes) {
  const IntervalEnds four = positive_ends95(4, 1.96 * 2);
  EXPECT_NEAR(four.high, 10.24, 0.15);
  EXPECT_NEAR(four.low, 1.09, 0.5);
  EXPECT_NEAR(positive_ends95(1, 1.96).high, 5.57, 0.15);
}

TEST(IntervalEnds, OfPoissonCountsHoldTheTruth) {
  constexpr int kTimes = 4000;
  std::mt19937 random(1);
  for (const double mean : {2.5, 6.5, 20.0}) {
    std::poisson_distribution<int> count(mean);
    int held = 0;
    for (int i = 0; i < kTimes; ++i) {
      const double value = count(random);
      const IntervalEnds ends =
          positive_ends95(value, value == 0 ? -std::log(0.05) : 1.96 * std::sqrt(value));
      held += ends.low <= mean && mean <= ends.high ? 1 : 0;
    }
    EXPECT_GE(held, kTimes * 93 / 100) << mean;
  }
}

TEST(IntervalEnds, AreNeededAboveThirtyPerCent) {
  EXPECT_FALSE(needs_both_ends(100, 30));
  EXPECT_TRUE(needs_both_ends(100, 31));
  EXPECT_TRUE(needs_both_ends(0, 1));
  EXPECT_FALSE(needs_both_ends(0, 0));
}

}  // namespace
}  // namespace tacho::TEST_FILE
