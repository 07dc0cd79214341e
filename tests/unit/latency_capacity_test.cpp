// From the size at which half of the loads miss to the capacity, for sets that are simulated here.
#include "latency/inference/capacity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "latency_machine.hpp"

namespace tacho::TEST_FILE {
namespace {

using synthetic::Bench;
using synthetic::Cache;
using synthetic::Machine;
using synthetic::Placement;
using synthetic::Policy;

// The capacity, in MiB, that follows for a cache of 1 MiB if its misses are measured in steps of 2
// %.
Capacity capacity_of(unsigned ways, Placement placement, Policy policy, unsigned ways_known) {
  constexpr double kMiB = 1024 * 1024;
  const Cache cache{kMiB, ways, 4, placement, policy};
  const Machine machine;
  Bench bench(machine, 1);
  std::vector<SharePoint> points;
  for (double bytes = kMiB / 4; bytes < 4 * kMiB; bytes *= 1.02)
    points.push_back({std::log2(bytes / kMiB),
                      bench.missing(cache, std::round(bytes / synthetic::kLine)), 0.01});
  return capacity_at(half_crossing(points).value(), ways_known, false);
}

TEST(LatencyCapacity, IsRightForLruAndOneBitALine) {
  for (const unsigned ways : {8U, 12U, 16U})
    for (const Policy policy : {Policy::least_recent, Policy::one_bit}) {
      const Capacity in_turn = capacity_of(ways, Placement::in_turn, policy, ways);
      EXPECT_NEAR(in_turn.value, 1, 0.05) << ways;
      const Capacity at_random = capacity_of(ways, Placement::hashed, policy, ways);
      EXPECT_NEAR(at_random.value, 1, 0.08) << ways;
      for (const Capacity& found : {in_turn, at_random}) {
        EXPECT_LT(found.interval.low, 1.01) << ways;
        EXPECT_GT(found.interval.high, 0.99) << ways;
      }
    }
}

// Caches with random replacement look larger than they are; the interval contains the truth.
TEST(LatencyCapacity, OfRandomReplacementIsWithinTheInterval) {
  for (const unsigned ways : {8U, 12U, 16U})
    for (const Placement placement : {Placement::in_turn, Placement::hashed}) {
      const Capacity found = capacity_of(ways, placement, Policy::at_random, ways);
      EXPECT_LT(found.interval.low, 1.01) << ways;
      EXPECT_GT(found.interval.high, 0.99) << ways;
      EXPECT_LT(found.value, 1.4) << ways;
    }
}

TEST(LatencyCapacity, OfUnknownWaysFollowsFromTheRise) {
  for (const unsigned ways : {4U, 6U, 8U, 16U})
    EXPECT_NEAR(capacity_of(ways, Placement::in_turn, Policy::least_recent, 0).value, 1, 0.07)
        << ways;
  for (const unsigned ways : {8U, 16U})
    for (const Policy policy : {Policy::least_recent, Policy::one_bit})
      EXPECT_NEAR(capacity_of(ways, Placement::hashed, policy, 0).value, 1, 0.08) << ways;
}

// In a first-level cache, half of the sets hold a line too many at 1 + 1/(2 ways).
TEST(LatencyCapacity, OfOrderlySetsIsExact) {
  const Capacity found = capacity_at({std::log2(1 + 0.5 / 8), 0.05, 0.12, 0.1}, 8, true);
  EXPECT_DOUBLE_EQ(found.value, 1);
}

}  // namespace
}  // namespace tacho::TEST_FILE
