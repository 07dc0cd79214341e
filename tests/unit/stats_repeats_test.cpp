// Repeated runs: mean, minimum, interval.
#include "stats/repeats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacho {
namespace {

TEST(Repeats, GiveMeanMinimumAndStudentsInterval) {
  const Repeats repeats = over_repeats(std::vector<double>{10, 14, 12});
  EXPECT_DOUBLE_EQ(repeats.mean, 12);
  EXPECT_DOUBLE_EQ(repeats.minimum, 10);
  EXPECT_NEAR(*repeats.half_width, 4.302653 * 2 / std::sqrt(3.0), 1e-5);
}

TEST(Repeats, OneRunHasNoInterval) {
  const Repeats repeats = over_repeats(std::vector<double>{10});
  EXPECT_DOUBLE_EQ(repeats.mean, 10);
  EXPECT_FALSE(repeats.half_width);
}

}  // namespace
}  // namespace tacho
