// Capacities of levels that were filled.
#include "latency/inference/filled_caches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tacho {
namespace {

constexpr double kKiB = 1024;
constexpr double kPage = 4 * kKiB;

std::vector<HeldLines> fillings(std::initializer_list<double> kibibytes) {
  std::vector<HeldLines> held;
  for (const double kib : kibibytes) held.push_back({1024 * kKiB, kib * kKiB, kPage, 10});
  return held;
}

// Neighbours may take a part of a level meanwhile: of five fillings one met such, and one let a
// page too many in.
TEST(LatencyHeld, TheSecondBestOfSeveralFillingsCounts) {
  const auto found = held_capacities(fillings({1016, 1024, 720, 1028, 1020}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].bytes, 1024 * kKiB);
  EXPECT_EQ(found[0].interval.low, 720 * kKiB);
  EXPECT_EQ(found[0].interval.high, 1028 * kKiB + kPage);
}

TEST(LatencyHeld, TwoFillingsAreTooFew) {
  EXPECT_TRUE(held_capacities(fillings({1024, 1024})).empty());
}

// Lines of one page are found sooner than those of a list (10 cycles for 14), and the next level is
// well farther.
TEST(LatencyHeld, TheLevelIsToldByWhatALoadCost) {
  HeldCapacity held{.bytes = 1024 * kKiB, .interval = {}, .hit_cycles = 10};
  EXPECT_EQ(level_filled(held, std::array{4.0, 14.0, 45.0, 530.0}), 1U);
  EXPECT_EQ(level_filled(held, std::array{4.0, 45.0, 530.0}), std::nullopt);
  held.hit_cycles = 16.5;
  EXPECT_EQ(level_filled(held, std::array{5.0, 16.0, 145.0}), 1U);
}

}  // namespace
}  // namespace tacho
