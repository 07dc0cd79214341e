// Outliers: how often they are false, and whether the real ones are found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "stats/outliers.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> of(std::vector<double> values, double sigma = 0) {
  return outliers(values, std::vector<double>(values.size(), sigma));
}

// In 10,000 sets of one distribution, 1 % of false alarms is 100, with a standard deviation of 10.
TEST(Outliers, OneSetInAHundredHasAFalseOne) {
  constexpr int kSets = 10'000;
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal(1000, 100);
  for (const std::size_t n : {4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 13U, 20U, 21U, 33U, 64U, 100U}) {
    int alarms = 0;
    for (int set = 0; set < kSets; ++set) {
      std::vector<double> values(n);
      for (double& value : values) value = normal(generator);
      alarms += !of(values).empty();
    }
    EXPECT_LT(alarms, 135) << n;
    EXPECT_GT(alarms, 40) << n << ": the cutoff is too large";
  }
}

TEST(Outliers, TheOddOneIsFoundAmongEqualOnes) {
  EXPECT_THAT(of({1000, 1000, 5000, 1000}), ElementsAre(2));
  EXPECT_THAT(of({1001, 1003, 2000, 1002}), ElementsAre(2));
  std::vector<double> many(1000, 50);
  many[17] = 60;
  many[999] = 0;
  EXPECT_THAT(of(many), ElementsAre(17, 999));
}

TEST(Outliers, FewValuesHaveNone) {
  EXPECT_THAT(of({}), IsEmpty());
  EXPECT_THAT(of({1, 1, 1'000'000}), IsEmpty());
}

TEST(Outliers, ADifferenceWithinTheUncertaintyIsNone) {
  EXPECT_THAT(of({100, 100, 130, 100}), ElementsAre(2));
  EXPECT_THAT(of({100, 100, 130, 100}, 2), IsEmpty());
}

TEST(Outliers, LessThanOnePerCentDoesNotMatter) {
  EXPECT_THAT(of({10000, 10000, 10090, 10000}), IsEmpty());
  EXPECT_THAT(of({10000, 10000, 10110, 10000}), ElementsAre(2));
}

}  // namespace
}  // namespace tacho::TEST_FILE
