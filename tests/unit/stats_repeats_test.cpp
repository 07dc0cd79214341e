// The mean, the minimum and the interval of repeated runs.
#include "stats/repeats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "stats/student.hpp"

namespace tacho::TEST_FILE {
namespace {

double students_half_width(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return student_t95(n - 1) * std::sqrt(squares / (n - 1) / n);
}

TEST(Repeats, GiveMeanMinimumAndStudentsInterval) {
  const Repeats repeats = over_repeats(std::vector<double>{10, 14, 12});
  EXPECT_DOUBLE_EQ(repeats.mean, 12);
  EXPECT_DOUBLE_EQ(repeats.minimum, 10);
  EXPECT_NEAR(*repeats.half_width, 4.302653 * 2 / std::sqrt(3.0), 1e-5);
}

// Most runs count no rare event, so equal counts do not show that the runs are equal.
TEST(Repeats, IntervalsOfFewCountsContainTheTruth) {
  constexpr int kTimes = 2000;
  for (const double mean : {0.1, 0.3, 1.0, 10.0})
    for (const std::size_t runs : {2U, 3U, 5U, 10U}) {
      std::mt19937 random(1);
      std::poisson_distribution<int> count(mean);
      int held = 0;
      for (int i = 0; i < kTimes; ++i) {
        std::vector<double> values(runs);
        for (double& value : values) value = count(random);
        const Repeats repeats = over_repeats(values, 1);
        held += std::abs(repeats.mean - mean) <= *repeats.half_width ? 1 : 0;
      }
      EXPECT_GE(held, kTimes * 93 / 100) << runs << " runs of " << mean;
    }
}

// By hand: of 0 to 7, the squares of the three slowest cosines are 41.504, 0 and 0.454, and those
// of all are 42. Student's t is 3.1824 with three degrees of freedom, and 2.3646 with seven.
TEST(Repeats, ADriftWidensTheIntervalOverStudents) {
  const Repeats repeats = over_repeats(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_NEAR(*repeats.half_width, 3.182446 * std::sqrt(41.957067 / 3 / 8), 1e-4);
  const Repeats mixed = over_repeats(std::vector<double>{3, 6, 0, 5, 2, 7, 1, 4});
  EXPECT_NEAR(*mixed.half_width, 2.364624 * std::sqrt(6.0 / 8), 1e-4) << "Student's";
}

// Wall seconds of ten runs of gzip in a row, on a busy machine. The mean of 400 runs was 0.2268 s.
TEST(Repeats, AnIntervalOfRunsInARowHoldsTheLongMeanThatStudentsExcludes) {
  constexpr double kLongMean = 0.2268;
  const std::vector<double> seconds{0.4006, 0.2633, 0.3199, 0.3479, 0.3161,
                                    0.3569, 0.2787, 0.2560, 0.2000, 0.2137};
  const Repeats repeats = over_repeats(seconds);
  EXPECT_GT(repeats.mean - students_half_width(seconds), kLongMean);
  EXPECT_LT(repeats.mean - *repeats.half_width, kLongMean);
}

// Sequences with a correlation of 0.6 between neighbours (an autoregressive process): the share of
// intervals that hold the mean, and by Student's formula.
TEST(Repeats, IntervalsOfCorrelatedRunsHoldTheMeanMoreOftenThanStudents) {
  constexpr int kTimes = 2000;
  constexpr double kCorrelation = 0.6;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  int held = 0;
  int students = 0;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> values;
    double value = normal(random);
    for (int k = 0; k < 30; ++k) {
      values.push_back(value);
      value = kCorrelation * value + std::sqrt(1 - kCorrelation * kCorrelation) * normal(random);
    }
    const Repeats repeats = over_repeats(values);
    held += std::abs(repeats.mean) <= *repeats.half_width ? 1 : 0;
    students += std::abs(repeats.mean) <= students_half_width(values) ? 1 : 0;
  }
  EXPECT_LT(students, kTimes * 75 / 100);
  EXPECT_GT(held, kTimes * 88 / 100);
}

TEST(Repeats, IntervalsOfSteadyRunsHoldTheMeanAtAModestPrice) {
  constexpr int kTimes = 2000;
  for (const std::size_t runs : {2U, 4U, 5U, 10U, 30U}) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(10, 1);
    int held = 0;
    double width = 0;
    double students = 0;
    for (int i = 0; i < kTimes; ++i) {
      std::vector<double> values(runs);
      for (double& value : values) value = normal(random);
      const Repeats repeats = over_repeats(values);
      held += std::abs(repeats.mean - 10) <= *repeats.half_width ? 1 : 0;
      width += *repeats.half_width;
      students += students_half_width(values);
    }
    EXPECT_GE(held, kTimes * 94 / 100) << runs;
    EXPECT_LE(width, students * 1.6) << runs;
    if (runs <= 4) {
      EXPECT_NEAR(width, students, 1e-6 * students) << runs;
    }
  }
}

TEST(Repeats, EqualRunsHaveNoWidthUnlessTheyAreCounts) {
  const std::vector<double> equal(10, 7.0);
  EXPECT_EQ(over_repeats(equal).half_width, 0);
  EXPECT_NEAR(*over_repeats(equal, 1).half_width, 3.182446 * std::sqrt(1.0 / 12 / 10), 1e-5);
}

TEST(Repeats, OneRunHasNoInterval) {
  const Repeats repeats = over_repeats(std::vector<double>{10});
  EXPECT_DOUBLE_EQ(repeats.mean, 10);
  EXPECT_FALSE(repeats.half_width);
}

}  // namespace
}  // namespace tacho::TEST_FILE
