// Changes of level, in sequences whose levels are known, and beside the counting of all orders.
#include "stats/change_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// `length` values of each level, with a noise.
std::vector<double> steps(const std::vector<double>& levels, int length, unsigned seed,
                          double deviation = 0.05) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> values;
  for (const double level : levels)
    for (int i = 0; i < length; ++i) values.push_back(level * (1 + noise(random)));
  return values;
}

// Of all orders of 1…8: the part in which the ranks' sums have such a range or a larger one.
double counted_probability(std::vector<double> seen) {
  const auto furthest = [](const std::vector<double>& order) {
    double sum = 0, low = 0, high = 0;
    for (const double rank : order) {
      sum += 2 * rank - 9;
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
    return high - low;
  };
  const double limit = furthest(seen);
  std::ranges::sort(seen);
  double all = 0, as_far = 0;
  do {
    ++all;
    if (furthest(seen) >= limit) ++as_far;
  } while (std::ranges::next_permutation(seen).found);
  return as_far / all;
}

TEST(ChangePoints, TheClearestChangeIsWhereTheRanksChange) {
  EXPECT_EQ(clearest_change(std::vector<double>{1, 2, 3, 4, 8, 7, 6, 5}).border, 4U);
  const LevelChange back = clearest_change(std::vector<double>{1, 3, 5, 10, 9, 8, 7, 2, 4, 6});
  EXPECT_EQ(back.from, 3U);
  EXPECT_EQ(back.to, 7U);
  EXPECT_EQ(back.border, 3U);
}

TEST(ChangePoints, TheProbabilityIsThatOfAllOrdersOrMore) {
  for (const auto& values : {std::vector<double>{1, 2, 3, 4, 8, 7, 6, 5},
                             {3, 1, 4, 2, 8, 5, 7, 6},
                             {1, 2, 8, 7, 6, 3, 4, 5}}) {
    EXPECT_GE(clearest_change(values).probability, counted_probability(values));
  }
}

TEST(ChangePoints, LevelsAreFoundAtTheirBorders) {
  EXPECT_THAT(change_points(steps({100, 300, 150}, 60, 1), 1e-3), ElementsAre(60, 120));
  EXPECT_THAT(change_points(steps({100, 0, 100, 0}, 40, 2), 1e-3), ElementsAre(40, 80, 120));
  EXPECT_THAT(change_points(steps({60, 100, 60}, 20, 5), 5e-4), ElementsAre(20, 40))
      << "a level that comes back";
}

TEST(ChangePoints, ASteadyEventHasAlmostNever) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 1000; ++seed)
    if (!change_points(steps({100}, 100, seed, 0.5), 0.05).empty()) ++wrong;
  EXPECT_LE(wrong, 70) << "of 1,000, at a risk of 5 %";
  EXPECT_GE(wrong, 10) << "the test is not too careful";
}

TEST(ChangePoints, SmallChangesAndSingleOutliersAreNone) {
  EXPECT_THAT(change_points(steps({100, 105}, 200, 3), 1e-3), IsEmpty());
  std::vector<double> values = steps({100}, 100, 4);
  values[50] = values[51] = 1e9;
  EXPECT_THAT(change_points(values, 1e-3), IsEmpty());
}

TEST(ChangePoints, FewOrEqualValuesHaveNone) {
  EXPECT_THAT(change_points({}, 1e-3), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>{1, 1, 9, 9}, 0.5), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>(100, 7), 1e-3), IsEmpty());
}

}  // namespace
}  // namespace tacho::TEST_FILE
