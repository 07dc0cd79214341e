// Shares against intervals that were printed elsewhere, and over many samples with a known truth.
#include "stats/share.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tacho {
namespace {

struct Published {
  double successes, samples, low, high;
};

// R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine
// 17 (1998), table I: the score method without continuity correction.
TEST(Share, WilsonIntervalsAreThosePublished) {
  for (const auto& [successes, samples, low, high] :
       {Published{81, 263, 0.2553, 0.3662}, Published{15, 148, 0.0624, 0.1605},
        Published{0, 20, 0.0000, 0.1611}, Published{1, 29, 0.0061, 0.1718}}) {
    const ShareInterval interval = wilson95(successes / samples, samples);
    EXPECT_NEAR(interval.low, low, 0.00006) << successes << " of " << samples;
    EXPECT_NEAR(interval.high, high, 0.00006) << successes << " of " << samples;
  }
}

TEST(Share, OfNoSamplesNothingIsKnown) {
  EXPECT_EQ(wilson95(0, 0).low, 0);
  EXPECT_EQ(wilson95(0, 0).high, 1);
}

TEST(Share, AllOfTheSamplesReachOne) {
  EXPECT_EQ(wilson95(1, 50).high, 1);
  EXPECT_NEAR(wilson95(1, 50).low, 0.9286, 0.0001);  // the mirror of none of 50
  EXPECT_NEAR(wilson95(0, 50).high, 1 - wilson95(1, 50).low, 1e-12);
}

TEST(Share, EqualWeightsCountAsTheSamplesThatTheyAre) {
  EXPECT_DOUBLE_EQ(effective_samples(7.0 * 30, 49.0 * 30), 30);
  // One sample that stands for as much as all others leaves little more than two.
  EXPECT_LT(effective_samples(200, 100 * 100 + 100), 4);
  EXPECT_EQ(effective_samples(0, 0), 0);
}

// How often rows of these true shares are told apart by this many samples.
double told(double a, double b, int samples, int times) {
  std::mt19937_64 random(1);
  int apart = 0;
  for (int i = 0; i < times; ++i) {
    const int first = std::binomial_distribution<int>(samples, a)(random);
    const int second = std::binomial_distribution<int>(samples - first, b / (1 - a))(random);
    apart += told_apart(1.0 * first / samples, 1.0 * second / samples, samples) ? 1 : 0;
  }
  return 1.0 * apart / times;
}

TEST(Share, RowsOfOneShareAreRarelyToldApart) {
  EXPECT_LT(told(0.3, 0.3, 1000, 4000), 0.065);
  EXPECT_LT(told(0.05, 0.05, 1000, 4000), 0.065);
}

TEST(Share, AFewSamplesThatAllFellIntoOneRowTellNothingYet) {
  // Wilson's intervals of 1 and of 0 of three overlap: 0.44 to 1 and 0 to 0.56.
  EXPECT_FALSE(told_apart(1, 0, 3));
  EXPECT_TRUE(told_apart(1, 0, 4));
}

TEST(Share, TheMissingSamplesTellRowsApartFourTimesInFive) {
  const auto missing = samples_missing(0.22, 0.20, 500);
  ASSERT_TRUE(missing);
  EXPECT_NEAR(told(0.22, 0.20, 500 + static_cast<int>(*missing), 4000), 0.80, 0.03);
}

TEST(Share, NoNumberOfSamplesTellsEqualRowsApart) {
  EXPECT_FALSE(samples_missing(0.25, 0.25, 1e6));
  EXPECT_EQ(samples_missing(0.5, 0.1, 1000), 0U) << "they are told apart already";
}

}  // namespace
}  // namespace tacho
