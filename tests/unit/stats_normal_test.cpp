// The normal distribution, compared with published tables.
#include "stats/normal.hpp"

#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

TEST(Normal, QuantilesArePublishedOnes) {
  EXPECT_NEAR(normal_z(0.05), kTwoSided95, 1e-14);
  EXPECT_NEAR(normal_z(0.01), 2.575829303548901, 1e-14);
  EXPECT_NEAR(normal_z(0.5), 0.674489750196082, 1e-14);
  EXPECT_NEAR(normal_z(2e-9), 5.997807015007687, 1e-12);
  EXPECT_NEAR(normal_z(1), 0, 1e-14);
  EXPECT_NEAR(normal_z(0), 38, 1e-12);
}

TEST(Normal, TailsAndQuantilesBelongTogether) {
  EXPECT_EQ(normal_tail(0), 0.5);
  EXPECT_NEAR(normal_tail(-1), 0.8413447460685429, 1e-15);
  for (const double tails : {0.9, 0.3, 0.05, 1e-3, 1e-12, 1e-100})
    EXPECT_NEAR(2 * normal_tail(normal_z(tails)), tails, 1e-12 * tails);
}

}  // namespace
}  // namespace tacho::TEST_FILE
