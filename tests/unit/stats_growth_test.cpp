// The exponent of growth: powers that are known, an example by hand, and simulated runs.
#include "stats/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> doubling(std::size_t sizes) {
  std::vector<double> result;
  for (double n = 100; result.size() < sizes; n *= 2) result.push_back(n);
  return result;
}

TEST(Growth, OfAPowerIsItsExponent) {
  for (const double exponent : {0.0, 0.5, 1.0, 2.0, 3.0, -1.0}) {
    std::vector<GrowthPoint> points;
    for (const double n : doubling(6)) points.push_back({n, 7 * std::pow(n, exponent)});
    const Growth found = growth(points);
    EXPECT_NEAR(found.exponent, exponent, 1e-12);
    EXPECT_NEAR(found.low, exponent, 1e-12);
    EXPECT_NEAR(found.high, exponent, 1e-12);
    EXPECT_NEAR(found.factor, 7, 1e-10);
    EXPECT_EQ(found.pairs, 15U);
  }
}

// Logarithms to base 2: n is 0, 1, 2, 3, 4, and y is 0, 1, 5, 4, 6. The slopes are 1, 5/2, 4/3,
// 3/2, 4, 3/2, 5/3, -1, 1/2, 2, with the median 3/2. Of 120 orders, one has no wrong pair, and 4
// have one: with a level of 0.05 the limits are the least and the greatest slope, with 0.1 the
// second.
TEST(Growth, OfFivePointsIsTheOneByHand) {
  std::vector<GrowthPoint> points;
  double n = 1;
  for (const double y : {0.0, 1.0, 5.0, 4.0, 6.0}) {
    points.push_back({n, std::exp2(y)});
    n *= 2;
  }
  const Growth found = growth(points);
  EXPECT_NEAR(found.exponent, 1.5, 1e-12);
  EXPECT_NEAR(found.low, -1, 1e-12);
  EXPECT_NEAR(found.high, 4, 1e-12);
  EXPECT_NEAR(found.factor, 1, 1e-12) << "of 0, -1/2, 2, -1/2, 0";
  EXPECT_NEAR(growth(points, 0.1).low, 0.5, 1e-12);
  EXPECT_NEAR(growth(points, 0.1).high, 2.5, 1e-12);
}

TEST(Growth, LeavesPairsOfEqualSizesOut) {
  const std::vector<GrowthPoint> points{{1, 1}, {1, 8}, {2, 2}, {2, 16}, {2, 4}};
  const Growth found = growth(points);
  EXPECT_EQ(found.pairs, 6U);
  EXPECT_NEAR(found.exponent, 1, 1e-12) << "of -2, -1, 1, 1, 2 and 4";
}

TEST(Growth, HasNoLimitsWithoutEnoughPoints) {
  const auto is_limited = [](std::size_t sizes, int runs) {
    std::vector<GrowthPoint> points;
    for (const double n : doubling(sizes))
      for (int i = 0; i < runs; ++i) points.push_back({n, n});
    const Growth found = growth(points);
    EXPECT_EQ(std::isinf(found.low), std::isinf(found.high));
    return std::isfinite(found.low);
  };
  EXPECT_FALSE(is_limited(4, 1));
  EXPECT_TRUE(is_limited(5, 1));
  EXPECT_FALSE(is_limited(2, 3));
  EXPECT_TRUE(is_limited(2, 4));
  EXPECT_TRUE(is_limited(3, 2));
}

TEST(Growth, OfOneSizeIsUnknown) {
  const Growth found = growth(std::vector<GrowthPoint>{{8, 3}, {8, 5}, {8, 9}});
  EXPECT_EQ(found.pairs, 0U);
  EXPECT_EQ(found.exponent, 0);
  EXPECT_EQ(found.low, -kInfinity);
  EXPECT_EQ(found.high, kInfinity);
  EXPECT_NEAR(found.factor, 5, 1e-12);
}

TEST(Growth, OfZerosIsNeverNaN) {
  std::vector<GrowthPoint> points;
  for (const double n : doubling(6)) points.push_back({n, 0});
  const Growth none = growth(points);
  EXPECT_EQ(none.exponent, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.factor, 0);
  points.back().y = 5;  // an event that begins at the largest size
  const Growth last = growth(points);
  EXPECT_EQ(last.exponent, 0);
  EXPECT_EQ(last.high, kInfinity);
  for (std::size_t i = 3; i < points.size(); ++i) points[i].y = 5;
  const Growth half = growth(points);
  EXPECT_EQ(half.exponent, kInfinity);
  EXPECT_EQ(half.low, 0);
  EXPECT_EQ(half.factor, 0);
  const Growth opposite = growth(std::vector<GrowthPoint>{{1, 1}, {2, 0}, {4, 1}, {4, 0}, {1, 0}});
  EXPECT_FALSE(std::isnan(opposite.exponent));
  EXPECT_FALSE(std::isnan(opposite.factor));
}

// Noise that makes some runs much slower, as that of a busy machine does: log-normal, and in one
// run of ten also three times the time.
TEST(Growth, IntervalsHoldTheExponentDespiteOutliers) {
  constexpr int kTimes = 2000;
  struct Plan {
    std::size_t sizes;
    int runs;
  };
  for (const Plan plan : {Plan{5, 1}, Plan{8, 1}, Plan{4, 3}, Plan{3, 5}}) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    int held = 0;
    for (int i = 0; i < kTimes; ++i) {
      std::vector<GrowthPoint> points;
      for (const double n : doubling(plan.sizes))
        for (int run = 0; run < plan.runs; ++run)
          points.push_back({n, std::pow(n, 1.3) * std::exp(0.1 * normal(random)) *
                                   (random() % 10 == 0 ? 3 : 1)});
      const Growth found = growth(points);
      held += found.low <= 1.3 && 1.3 <= found.high ? 1 : 0;
    }
    EXPECT_GE(held, kTimes * 945 / 1000) << plan.sizes << " sizes";
    EXPECT_LE(held, kTimes * 995 / 1000) << plan.sizes << " sizes";
  }
}

TEST(Growth, OfManyPointsTakesAShortTime) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<GrowthPoint> points;
  for (int i = 0; i < 30'000; ++i) {
    const double n = 1 + static_cast<double>(random() % 10'000);
    points.push_back({n, 3 * n * n * std::exp(0.3 * normal(random))});
  }
  const Growth found = growth(points);
  EXPECT_LT(found.pairs, 2'000'000U);
  EXPECT_LT(found.low, 2);
  EXPECT_GT(found.high, 2);
  EXPECT_LT(found.high - found.low, 0.04);
  EXPECT_NEAR(found.factor, 3, 0.3);
}

}  // namespace
}  // namespace tacho::TEST_FILE
