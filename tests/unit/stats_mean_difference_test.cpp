// Differences of means: published examples, and how often their intervals hold the truth.
#include "stats/mean_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tacho {
namespace {

// Extra hours of sleep of ten patients with two drugs, from Student's own paper (1908). R's
// t.test() of its data set `sleep` gives the figures below.
const std::vector<double> kFirstDrug{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kSecondDrug{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

TEST(MeanDifference, OfPairsIsStudents) {
  const MeanDifference found = paired_difference(kFirstDrug, kSecondDrug);
  EXPECT_NEAR(found.value, 1.58, 1e-12);
  EXPECT_NEAR(found.value / found.standard_error, 4.062128, 1e-6);
  EXPECT_EQ(found.degrees, 9);
  EXPECT_NEAR(p_value(found), 0.00283289, 1e-8);
  const Estimated limits = interval(found, 0.05);
  EXPECT_NEAR(limits.low, 0.7001142, 1e-6);
  EXPECT_NEAR(limits.high, 2.4598858, 1e-6);
}

TEST(MeanDifference, OfIndependentRunsIsWelchs) {
  const MeanDifference found = independent_difference(kFirstDrug, kSecondDrug);
  EXPECT_NEAR(found.value / found.standard_error, 1.860813, 1e-6);
  EXPECT_NEAR(found.degrees, 17.776474, 1e-6);
  EXPECT_NEAR(p_value(found), 0.07939414, 1e-8);
}

TEST(MeanDifference, OfUnequalNumbersAgreesWithScipy) {  // ttest_ind(b, a, equal_var=False)
  const MeanDifference found = independent_difference(
      std::vector{195.2, 201.4, 190.3}, std::vector{205.1, 207.3, 204.4, 195.2, 206.0});
  EXPECT_NEAR(found.value, 7.966667, 1e-6);
  EXPECT_NEAR(found.standard_error, 3.867744, 1e-6);
  EXPECT_NEAR(found.degrees, 3.819646, 1e-6);
  EXPECT_NEAR(p_value(found), 0.11177428, 1e-8);
}

TEST(MeanDifference, TheIntervalEndsAtZeroAtTheLevelOfThePValue) {
  const MeanDifference found = paired_difference(kFirstDrug, kSecondDrug);
  EXPECT_NEAR(interval(found, p_value(found)).low, 0, 1e-9);
}

TEST(MeanDifference, EqualRunsAreKnownToAStepOnly) {
  const std::vector<double> fives(4, 5.0), sixes(4, 6.0);
  EXPECT_EQ(p_value(paired_difference(fives, sixes)), 0) << "values that have no step";
  const MeanDifference steps = paired_difference(fives, sixes, 1);
  EXPECT_NEAR(steps.standard_error, std::sqrt(2.0 / 12 / 4), 1e-12);
  EXPECT_NEAR(independent_difference(fives, sixes, 1).standard_error, steps.standard_error, 1e-12);
  EXPECT_EQ(p_value(paired_difference(fives, fives)), 1);
  EXPECT_EQ(p_value(independent_difference(fives, fives)), 1);
}

// Numbers of samples, few or many, in pairs of runs of one program. Both have a speed of their own.
double claimed(int pairs, double samples, double level,
               MeanDifference (*difference)(std::span<const double>, std::span<const double>,
                                            double)) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> speed(1, 0.05);
  constexpr int kTimes = 20'000;
  int claims = 0;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> before, after;
    for (int k = 0; k < pairs; ++k)
      for (auto* side : {&before, &after})
        side->push_back(std::poisson_distribution<int>(samples * speed(random))(random));
    claims += p_value(difference(before, after, 1)) <= level ? 1 : 0;
  }
  return 1.0 * claims / kTimes;
}

TEST(MeanDifference, EqualProgramsRarelyDifferWhateverTheNumberOfSamples) {
  for (const int pairs : {3, 5, 10})
    for (const double samples : {2.0, 5.0, 30.0, 500.0}) {
      EXPECT_LT(claimed(pairs, samples, 0.05, paired_difference), 0.055) << pairs << ' ' << samples;
      EXPECT_LT(claimed(pairs, samples, 0.005, paired_difference), 0.0075)
          << pairs << ' ' << samples;
      EXPECT_LT(claimed(pairs, samples, 0.05, independent_difference), 0.055)
          << pairs << ' ' << samples;
    }
  EXPECT_GT(claimed(5, 500, 0.05, paired_difference), 0.045) << "not wider than needed";
}

}  // namespace
}  // namespace tacho
