// Plateaus, and curves that never fall.
#include "stats/plateaus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "stats/monotone_curve.hpp"

namespace tacho::TEST_FILE {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr PlateauRules kRules{.least_rise = 0.5, .least_span = 1.5, .fewest = 3};

std::vector<CurvePoint> curve(std::initializer_list<double> values) {
  std::vector<CurvePoint> points;
  for (const double y : values) points.push_back({static_cast<double>(points.size()), y, 0.1});
  return points;
}

TEST(Plateaus, AStepMakesTwoAndARampBelongsToNeither) {
  const auto found = find_plateaus(curve({1, 1.05, 0.95, 1, 2, 3, 4, 5, 5, 5.1, 5}), kRules);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].points, ElementsAre(0, 1, 2, 3));
  EXPECT_NEAR(found[0].level, 1, 0.06);
  EXPECT_THAT(found[1].points, ElementsAre(7, 8, 9, 10));
  EXPECT_NEAR(found[1].level, 5, 0.11);
}

TEST(Plateaus, OutliersMakeNone) {
  const auto found = find_plateaus(curve({1, 1, 9, 9, 1, 1, 1, 7, 1, 1}), kRules);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].points, ElementsAre(0, 1, 4, 5, 6, 8, 9));
}

TEST(Plateaus, AFallMakesNone) {
  EXPECT_EQ(find_plateaus(curve({5, 5, 5, 5, 5, 1, 1, 1, 1}), kRules).size(), 1U);
}

TEST(Plateaus, TooFewOrTooNarrowMakeNone) {
  EXPECT_THAT(find_plateaus({}, kRules), IsEmpty());
  EXPECT_THAT(find_plateaus(curve({1, 1}), kRules), IsEmpty());
  const std::vector<CurvePoint> narrow{{0, 1, 0.1}, {0.1, 1, 0.1}, {0.2, 1, 0.1}, {0.3, 1, 0.1}};
  EXPECT_THAT(find_plateaus(narrow, kRules), IsEmpty());
}

TEST(Plateaus, NoiseMakesNone) {
  std::mt19937_64 random(3);
  std::normal_distribution<> noise(0, 0.1);
  int wrong = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<CurvePoint> points;
    for (int i = 0; i < 40; ++i) points.push_back({i * 1.0, noise(random), 0.1});
    wrong += find_plateaus(points, {.least_rise = 0.1, .least_span = 1}).size() == 1 ? 0 : 1;
  }
  EXPECT_LE(wrong, 2);
}

// A step between few points that are far apart, and many points close together on neither side of
// it.
TEST(Plateaus, ManyPointsInOnePlaceDoNotOutvoteThoseThatAreFarApart) {
  std::vector<CurvePoint> points;
  for (int i = 0; i < 5; ++i) points.push_back({1.0 * i, 1, 0.1});
  for (int i = 0; i < 20; ++i) points.push_back({4.5 + 0.02 * i, 2, 0.1});
  for (int i = 5; i < 10; ++i) points.push_back({1.0 * i, 3, 0.1});
  const PlateauRules rules{.least_rise = 0.5, .least_span = 0.3};
  EXPECT_EQ(find_plateaus(points, rules).size(), 3U);
  std::vector<double> places;
  for (const CurvePoint& point : points) places.push_back(point.x);
  const std::vector<double> weights = weights_by_spacing(places, 1);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].weight = weights[i];
  const auto found = find_plateaus(points, rules);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].level, 1);
  EXPECT_EQ(found[1].level, 3);
}

TEST(Weights, AreThePartOfTheAxisThatAPlaceRepresents) {
  EXPECT_THAT(weights_by_spacing(std::vector{0.0, 1.0, 1.0, 1.5, 4.0}, 1),
              ElementsAre(1, 0.375, 0.375, 1, 1));
  EXPECT_THAT(weights_by_spacing(std::vector{3.0, 3.0}, 1), ElementsAre(0.5, 0.5));
  EXPECT_THAT(weights_by_spacing({}, 1), IsEmpty());
}

TEST(StandsOut, TwoLaterLowerValuesShowThatAValueWasDisturbed) {
  constexpr Bounds k5{5, 5}, k9{9, 9}, k20{20, 20};
  EXPECT_THAT(stands_out(std::vector{k5, k9, k5, k5, k20, k20}, 1.3, 0),
              ElementsAre(false, true, false, false, false, false));
  // One low value is not enough, and neither are two that are low in one of the two ways.
  EXPECT_THAT(stands_out(std::vector{k20, k20, k20, k5, k20}, 1.3, 0),
              ElementsAre(false, false, false, false, false));
  EXPECT_THAT(stands_out(std::vector{k20, k20, Bounds{5, 18}, Bounds{5, 18}}, 1.3, 0),
              ElementsAre(false, false, false, false));
}

TEST(NearLeast, PointsFarAboveTheLeastOneOfTheirPlaceAreLeftOut) {
  const std::vector<SharePoint> points{{1, 0.1}, {1, 0.3}, {1, 0.4}, {2, 0.9}, {3, 0.9}, {3, 0.2}};
  const auto kept = near_least(points, 0.25);
  std::vector<double> shares;
  for (const SharePoint& point : kept) shares.push_back(point.share);
  EXPECT_THAT(shares, ElementsAre(0.1, 0.3, 0.9, 0.2));
}

TEST(Crossing, LiesBetweenThePointsOnEitherSide) {
  const std::vector<SharePoint> points{{1, 0}, {2, 0.1}, {3, 0.3}, {4, 0.7}, {5, 1}};
  const auto found = half_crossing(points);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->x, 3.5);
  EXPECT_DOUBLE_EQ(found->low, 3);
  EXPECT_DOUBLE_EQ(found->high, 4);
}

TEST(Crossing, PoolsPointsThatFallBecauseOfNoise) {
  const std::vector<SharePoint> points{{1, 0}, {2, 0.6}, {3, 0.2}, {4, 0.9}, {5, 1}};
  const auto found = half_crossing(points);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->x, 3.2);  // from 0.4 at 3 to 0.9 at 4
}

TEST(Crossing, IsThatOfALineThroughTheMiddleIfThereAreEnoughPoints) {
  const std::vector<SharePoint> points{{0, 0.1}, {2, 0.3}, {3, 0.35}, {4, 0.55}, {5, 0.6}, {7, 1}};
  const auto found = half_crossing(points);
  ASSERT_TRUE(found);
  // The means are 3.5 and 0.45, the slope 0.55 / 5.
  EXPECT_NEAR(found->x, 3.5 + 0.05 / 0.11, 1e-9);
  EXPECT_DOUBLE_EQ(found->width, 5.75 - 1.5);
}

TEST(Crossing, DoubtfulPointsWidenTheInterval) {
  const std::vector<SharePoint> points{{1, 0}, {2, 0.48}, {3, 0.53}, {4, 1}};
  const auto found = half_crossing(points);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->low, 1);
  EXPECT_DOUBLE_EQ(found->high, 4);
}

TEST(Crossing, IsNoneIfAllPointsAreOnOneSide) {
  const std::vector<SharePoint> low{{1, 0}, {2, 0.1}};
  const std::vector<SharePoint> high{{1, 0.9}, {2, 1}};
  EXPECT_FALSE(half_crossing(low));
  EXPECT_FALSE(half_crossing(high));
  EXPECT_FALSE(half_crossing({}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
