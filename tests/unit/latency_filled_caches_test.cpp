// Capacities of caches that were filled.
#include "latency/inference/filled_caches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

constexpr double kKiB = 1024;
constexpr double kPage = 4 * kKiB;

std::vector<CacheFill> fillings(std::initializer_list<double> kibibytes) {
  std::vector<CacheFill> fills;
  for (const double kib : kibibytes) fills.push_back({0, kib * kKiB, kPage, 10});
  return fills;
}

// Neighbours may take a part of a cache meanwhile. One of these five fillings met a neighbour, and
// one let in a page too many.
TEST(LatencyFilledCaches, TheSecondBestOfSeveralFillingsCounts) {
  const auto found = filled_capacities(fillings({1016, 1024, 720, 1028, 1020}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].bytes, 1024 * kKiB);
  EXPECT_EQ(found[0].interval.low, 720 * kKiB);
  EXPECT_EQ(found[0].interval.high, 1028 * kKiB + kPage);
}

TEST(LatencyFilledCaches, TwoFillingsAreTooFew) {
  EXPECT_TRUE(filled_capacities(fillings({1024, 1024})).empty());
}

TEST(LatencyFilledCaches, FillingsBelongToTheCacheWithTheirNumber) {
  auto both = fillings({1024, 1020, 1016});
  for (const double kib : {16.0, 16.0, 12.0}) both.push_back({1, kib * kKiB, kPage, 40});
  const auto found = filled_capacities(both);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].bytes, 1020 * kKiB);
  EXPECT_EQ(found[1].bytes, 16 * kKiB);
}

// Lines of one page are found sooner than those of a list (10 cycles instead of 14). The next level
// is much slower.
TEST(LatencyFilledCaches, TheLevelIsTheOneWithTheNearestLatency) {
  FilledCapacity filled{.bytes = 1024 * kKiB, .interval = {}, .hit_cycles = 10};
  EXPECT_EQ(filled_level(filled, std::array{4.0, 14.0, 45.0, 530.0}), 1U);
  EXPECT_EQ(filled_level(filled, std::array{4.0, 45.0, 530.0}), std::nullopt);
  filled.hit_cycles = 16.5;
  EXPECT_EQ(filled_level(filled, std::array{5.0, 16.0, 145.0}), 1U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
