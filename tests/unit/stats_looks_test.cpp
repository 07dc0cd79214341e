// Several looks: Pocock's published levels, and simulated measurements with a known mean.
#include "stats/looks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "stats/normal.hpp"

namespace tacho::TEST_FILE {
namespace {

const std::vector<double> kDoubling{10, 20, 40, 80};

// The z of each look at observations with this mean and a standard deviation of 1.
std::vector<double> draw(std::span<const double> looks, double mean, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double sum = 0, before = 0;
  for (const double n : looks) {
    sum += mean * (n - before) + std::sqrt(n - before) * normal(random);
    before = n;
    values.push_back(sum / std::sqrt(n));
  }
  return values;
}

// Number of looks until the first that is significant, or all.
std::size_t looks_until_the_end(const std::vector<double>& values, double critical) {
  std::size_t looks = 1;
  while (looks < values.size() && std::fabs(values[looks - 1]) < critical) ++looks;
  return looks;
}

double share_of_false_claims(std::span<const double> looks, double level) {
  constexpr int kTimes = 30'000;
  std::mt19937_64 random(1);
  const double critical = normal_z(level);
  int claims = 0;
  for (int i = 0; i < kTimes; ++i) {
    const std::vector<double> values = draw(looks, 0, random);
    claims += std::fabs(values[looks_until_the_end(values, critical) - 1]) >= critical ? 1 : 0;
  }
  return 1.0 * claims / kTimes;
}

// C. Jennison, B. W. Turnbull, Group Sequential Methods with Applications to Clinical Trials, table
// 2.1: critical values for looks at equal distances.
TEST(LookLevel, IsPococks) {
  struct Row {
    int looks;
    double alpha, critical;
  };
  for (const Row row : {Row{2, 0.05, 2.178}, Row{3, 0.05, 2.289}, Row{4, 0.05, 2.361},
                        Row{5, 0.05, 2.413}, Row{10, 0.05, 2.555}, Row{20, 0.05, 2.672},
                        Row{2, 0.01, 2.772}, Row{5, 0.01, 2.986}, Row{5, 0.1, 2.122}}) {
    std::vector<double> looks;
    for (int i = 1; i <= row.looks; ++i) looks.push_back(7 * i);
    EXPECT_NEAR(normal_z(look_level(looks, row.alpha)), row.critical, 5e-4) << row.looks;
  }
}

TEST(LookLevel, OfOneLookIsAlphaAndOfDistantOnesThatOfIndependentTests) {
  EXPECT_EQ(look_level(std::vector{30.0}), 0.05);
  EXPECT_EQ(look_level(std::vector{30.0}, 0.01), 0.01);
  EXPECT_NEAR(look_level(std::vector{1.0, 1e6, 1e12}), 1 - std::cbrt(0.95), 1e-4);
  EXPECT_NEAR(look_level(std::vector{1000.0, 1001.0}), 0.05, 0.002) << "nearly one look";
}

TEST(LookLevel, OfDoublingLooksClaimsFalselyInFiveOfAHundredMeasurements) {
  const double level = look_level(kDoubling);
  EXPECT_NEAR(level, 0.016018, 1e-6);
  EXPECT_NEAR(share_of_false_claims(kDoubling, level), 0.05, 0.004);
  EXPECT_NEAR(share_of_false_claims(kDoubling, 0.05), 0.1424, 0.005) << "without a correction";
  EXPECT_NEAR(share_of_false_claims(kDoubling, 0.0182), 0.0563, 0.004) << "for equal distances";
}

TEST(LookLevel, OfUnequalLooksClaimsFalselyInOneOfTenMeasurementsIfThatIsAlpha) {
  const std::vector<double> looks{5, 6, 30, 31, 90};
  EXPECT_NEAR(share_of_false_claims(looks, look_level(looks, 0.1)), 0.1, 0.005);
}

TEST(StoppedInterval, AtTheFirstLookIsTheUsualOne) {
  const StoppedInterval found = stopped_interval(std::vector{16.0}, 0.0158, 3);
  EXPECT_NEAR(found.estimate, 3.0 / 4, 1e-9);
  EXPECT_NEAR(found.low, (3 - kTwoSided95) / 4, 1e-9);
  EXPECT_NEAR(found.high, (3 + kTwoSided95) / 4, 1e-9);
}

TEST(StoppedInterval, ExcludesZeroIfTheLookIsSignificant) {
  const double level = look_level(kDoubling);
  const double critical = normal_z(level);
  for (std::size_t looks = 1; looks <= kDoubling.size(); ++looks)
    EXPECT_GT(stopped_interval(std::span(kDoubling).first(looks), level, critical + 1e-4).low, 0);
  EXPECT_NEAR(stopped_interval(kDoubling, level, critical).low, 0, 1e-9);
  EXPECT_LT(stopped_interval(kDoubling, level, critical - 1e-4).low, 0);
}

TEST(StoppedInterval, IsMirroredForTheOtherSignAndNeverInfinite) {
  const double level = look_level(kDoubling);
  for (const double z : {0.0, 0.4, 2.5, 8.0, 38.0}) {
    const StoppedInterval above = stopped_interval(kDoubling, level, z);
    const StoppedInterval below = stopped_interval(kDoubling, level, -z);
    EXPECT_NEAR(above.estimate, -below.estimate, 1e-9);
    EXPECT_EQ(above.low, z > 0 ? -below.high : below.low);
    EXPECT_LT(above.low, above.estimate);
    EXPECT_LT(above.estimate, above.high);
    EXPECT_LT(above.high, 1) << "the looks before were not significant";
  }
}

// Means that end the measurement at the last look, at the third, at the second and at the first.
TEST(StoppedInterval, HoldsTheTruthWhateverTheMean) {
  constexpr int kTimes = 2000;
  const double level = look_level(kDoubling);
  const double critical = normal_z(level);
  for (const double mean : {0.0, 0.3, -0.5, 0.9}) {
    std::mt19937_64 random(1);
    int held = 0, above = 0;
    double width = 0, repeated_width = 0;
    for (int i = 0; i < kTimes; ++i) {
      const std::vector<double> values = draw(kDoubling, mean, random);
      const std::size_t looks = looks_until_the_end(values, critical);
      const StoppedInterval found =
          stopped_interval(std::span(kDoubling).first(looks), level, values[looks - 1]);
      held += found.low <= mean && mean <= found.high ? 1 : 0;
      above += found.estimate > mean ? 1 : 0;
      width += found.high - found.low;
      repeated_width += 2 * critical / std::sqrt(kDoubling[looks - 1]);
    }
    EXPECT_NEAR(1.0 * held / kTimes, 0.95, 0.01) << mean;
    EXPECT_NEAR(1.0 * above / kTimes, 0.5, 0.03) << mean;
    EXPECT_LT(width, 0.95 * repeated_width) << mean;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
