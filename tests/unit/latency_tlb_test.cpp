// The TLB, from average latencies of lists on a machine that is defined here.
#include "latency/inference/tlb.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho::TEST_FILE {
namespace {

constexpr double kHit = 2;
constexpr double kWalk = 26;
constexpr double kEntries = 256;
constexpr double kHz = 1e9;

// The share of n pages, visited in turn, that a TLB of 256 entries with random replacement misses.
// An entry is still there with probability (1 - 1/E)^(n m), because n m others came meanwhile.
double miss_ratio(double pages) {
  double misses = 1;
  for (int i = 0; i < 200; ++i) misses = 1 - std::pow(1 - 1 / kEntries, pages * misses);
  return misses;
}

SizeLatency list(Layout layout, double lines, double cycles) {
  SizeLatency size;
  size.layout = layout;
  size.lines = static_cast<std::uint64_t>(lines);
  size.bytes = 64 * size.lines;
  size.page_bytes = 4096;
  size.cycles = cycles;
  size.ns = cycles;  // at kHz
  return size;
}

TEST(LatencyTlb, TheCostOfAWalkComesFromListsThatFindNoPage) {
  std::vector<SizeLatency> sizes;
  for (double lines = 2; lines <= 1100; lines *= std::cbrt(2)) {
    sizes.push_back(list(Layout::packed, lines, kHit));
    sizes.push_back(list(Layout::spread, lines, kHit + kWalk * miss_ratio(std::floor(lines))));
  }
  for (double lines : {272, 288, 296, 305, 314, 332, 342, 352, 362, 372, 383})
    sizes.push_back(list(Layout::spread, lines, kHit + kWalk * miss_ratio(lines)));
  const auto tlb = find_tlb(std::vector<LatencySample>(sizes.size()), sizes, kHz);
  ASSERT_EQ(tlb.size(), 1U);
  EXPECT_NEAR(tlb[0].miss_extra_cycles, kWalk, 0.05 * kWalk);
  EXPECT_NEAR(tlb[0].miss_extra_cycles, kWalk, tlb[0].ci95_cycles);
  // Half of the pages miss at 2 ln 2 = 1.39 times the entries.
  EXPECT_GT(tlb[0].entries, kEntries);
  EXPECT_LT(tlb[0].entries, 1.35 * kEntries);
}

}  // namespace
}  // namespace tacho::TEST_FILE
