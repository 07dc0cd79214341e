// Onsets of curves with a known form.
#include "stats/onset.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

double ramp(double ratio) {
  return std::max(0.0, ratio - 1);
}

double jump(double ratio) {
  return ratio > 1 ? 1 : 0;
}

// 16 points an octave from 100 to 1,600.
std::vector<OnsetPoint> curve(const OnsetForm& form, double onset, double level, double rise,
                              double noise, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, noise);
  std::vector<OnsetPoint> points;
  for (int i = 0; i <= 64; ++i) {
    const double x = 100 * std::exp2(i / 16.0);
    points.push_back({x, level + rise * form(x / onset) + normal(random)});
  }
  return points;
}

TEST(Onset, IsWithinItsIntervalInNineteenOfTwentyCurves) {
  std::mt19937_64 random(7);
  int within = 0;
  constexpr int kCurves = 400;
  for (int i = 0; i < kCurves; ++i) {
    const double onset = std::uniform_real_distribution<>(200, 800)(random);
    const auto found = find_onset(curve(ramp, onset, 20, 30, 1, random), ramp, 0.1);
    ASSERT_TRUE(found);
    within += found->low <= onset && onset <= found->high;
    EXPECT_NEAR(found->x / onset, 1, 0.15);
    EXPECT_NEAR(found->level, 20, 2);
  }
  // 95 % of 400 are 380. The limit is 2.6 standard errors of 4.4 below.
  EXPECT_GE(within, 368);
}

TEST(Onset, OfAJumpIsAnywhereBetweenItsTwoPoints) {
  std::mt19937_64 random(7);
  const auto found = find_onset(curve(jump, 410, 20, 30, 0, random), jump, 0.1);
  ASSERT_TRUE(found);
  // Points at 400 and 417.7.
  EXPECT_NEAR(found->low, 400, 5);
  EXPECT_NEAR(found->high, 417.7, 5);
  EXPECT_GT(found->x, found->low);
  EXPECT_LT(found->x, found->high);
  EXPECT_NEAR(found->level, 20, 1e-9);
  EXPECT_NEAR(found->rise, 30, 1e-9);
}

TEST(Onset, ThereIsNoneOfAFallAndOfFewPoints) {
  std::mt19937_64 random(7);
  EXPECT_FALSE(find_onset(curve(ramp, 400, 50, -10, 0, random), ramp, 0.1));
  const auto points = curve(ramp, 120, 20, 30, 0, random);
  EXPECT_FALSE(find_onset(std::span(points).first(4), ramp, 0.1));
  EXPECT_TRUE(find_onset(std::span(points).first(20), ramp, 0.1));
}

}  // namespace
}  // namespace tacho::TEST_FILE
