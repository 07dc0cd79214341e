// The sizes that are measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "latency/chase/list_sizes.hpp"

namespace tacho::chase::TEST_FILE {
namespace {

using testing::ElementsAre;

constexpr std::size_t kMega = std::size_t{1} << 20U;

TEST(ChaseSizes, AreSoManyToADoublingWithBothEnds) {
  EXPECT_THAT(sizes_between(4096, 32768, 1, 64), ElementsAre(4096, 8192, 16384, 32768));
  EXPECT_THAT(sizes_between(8, 32, 2, 1), ElementsAre(8, 11, 16, 23, 32));
  EXPECT_THAT(sizes_between(4096, 5000, 1, 64), ElementsAre(4096, 4992));
}

TEST(ChaseSizes, SmallOnesAreNotMeasuredTwice) {
  EXPECT_THAT(sizes_between(1, 4, 4, 1), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(sizes_between(64, 64, 1, 64), ElementsAre(64));
  EXPECT_THAT(sizes_between(64, 10, 1, 64), ElementsAre(64));
}

TEST(ChaseSizes, EndBehindTheLastLevelAndWithinTheRoom) {
  EXPECT_EQ(default_most(32 * kMega, 64 * 1024 * kMega), 64 * kMega);
  EXPECT_EQ(default_most(105 * kMega, 64 * 1024 * kMega), 256 * kMega);
  EXPECT_EQ(default_most(0, 64 * 1024 * kMega), 64 * kMega);
  EXPECT_EQ(default_most(2000 * kMega, 64 * 1024 * kMega), 1024 * kMega);
  EXPECT_EQ(default_most(105 * kMega, 400 * kMega), 100 * kMega);
}

}  // namespace
}  // namespace tacho::chase::TEST_FILE
