// Capacities of levels that were filled.
#include "analysis/latency_held.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

constexpr double kKiB = 1024;
constexpr double kPage = 4 * kKiB;

std::vector<Tier> tiers() {
  std::vector<Tier> found(3);
  found[0].capacity_bytes = 48 * kKiB;
  found[0].capacity = {{47 * kKiB, 49 * kKiB}};
  found[1].capacity_bytes = 1200 * kKiB;
  found[1].capacity = {{800 * kKiB, 1300 * kKiB}};
  return found;
}

// Neighbours may take a part of a level meanwhile: of five fillings one met such, and one let a
// page too many in.
TEST(LatencyHeld, TheSecondBestOfSeveralFillingsCounts) {
  std::vector<Tier> found = tiers();
  std::vector<HeldLines> held;
  for (const double kib : {1016, 1024, 720, 1028, 1020})
    held.push_back({1200 * kKiB, kib * kKiB, kPage});
  set_capacities(found, held);
  EXPECT_EQ(found[1].capacity_bytes, 1024 * kKiB);
  EXPECT_EQ(found[1].capacity->low, 720 * kKiB);
  EXPECT_EQ(found[1].capacity->high, 1028 * kKiB + kPage);
  EXPECT_EQ(found[0].capacity_bytes, 48 * kKiB);
  EXPECT_FALSE(found[2].capacity);
}

TEST(LatencyHeld, TwoFillingsAreTooFew) {
  std::vector<Tier> found = tiers();
  const std::vector<HeldLines> held(2, {1200 * kKiB, 1024 * kKiB, kPage});
  set_capacities(found, held);
  EXPECT_EQ(found[1].capacity_bytes, 1200 * kKiB);
}

// What was filled may have been another level than any that is found in the end.
TEST(LatencyHeld, AnotherLevelsFillingsAreNotTaken) {
  std::vector<Tier> found = tiers();
  const std::vector<HeldLines> held(5, {5000 * kKiB, 4800 * kKiB, kPage});
  set_capacities(found, held);
  EXPECT_EQ(found[1].capacity_bytes, 1200 * kKiB);
}

}  // namespace
}  // namespace tacho
