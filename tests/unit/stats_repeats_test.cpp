// The mean, the minimum and the interval of repeated runs.
#include "stats/repeats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace tacho {
namespace {

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

TEST(Repeats, OneRunHasNoInterval) {
  const Repeats repeats = over_repeats(std::vector<double>{10});
  EXPECT_DOUBLE_EQ(repeats.mean, 10);
  EXPECT_FALSE(repeats.half_width);
}

}  // namespace
}  // namespace tacho
