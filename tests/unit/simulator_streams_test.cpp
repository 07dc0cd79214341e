// The hardware prefetcher on textbook streams. A page has 64 lines of the second level. A load
// waits 8 cycles for that level and 53 for memory.
#include <gtest/gtest.h>

#include <functional>

#include "simulator_random.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

constexpr std::uint64_t kPage = 4096, kLine = 64, kLinesOfPage = 64;

model with_prefetcher(std::uint64_t streams, std::uint64_t distance, std::uint64_t line_cycles) {
  model m = small_model();
  m.l2 = {256 * 1024, 4, kLine, REPLACE_LRU, 1, 11, 0};
  m.dtlb = {1024, 1024, 0, REPLACE_LRU, 0};
  m.prefetch = {streams, distance, line_cycles};
  return m;
}

// The counts of loads of these addresses, each after some cycles of work. Counting and sampling
// give the same.
Counts loads(const model& m, std::size_t count, std::uint64_t work,
             const std::function<std::uint64_t(std::size_t)>& address) {
  Code code(m);
  segment* load = code.add(0x1000, {4}, {4});
  segment* filler = code.add(0x1004, {4}, {});
  std::vector<Step> steps;
  for (std::size_t i = 0; i < count; ++i) {
    steps.push_back({load, {0x100000 + address(i)}});
    steps.insert(steps.end(), work, Step{filler, {}});
  }
  Core counting(m), sampling(m);
  sampling.sample({{1U << CYCLES, 1'000}});
  counting.run(steps);
  sampling.run(steps);
  EXPECT_EQ(to_text(counting.counts()), to_text(sampling.counts()));
  EXPECT_EQ(to_text(counting.counts()), to_text(Reference(m).run(steps)));
  return counting.counts();
}

TEST(SimulatorStreams, TheFirstTwoLinesOfAPageMiss) {
  const model m = with_prefetcher(1, 4, 0);
  const auto forward = [](std::size_t i) { return i * kLine; };
  const auto backward = [](std::size_t i) { return (1000 - i) * kLine; };
  for (const std::size_t pages : {1U, 5U}) {
    const Counts up = loads(m, pages * kLinesOfPage, 100, forward);
    EXPECT_EQ(up[L2_LOAD_MISSES], 2 * pages);
    EXPECT_EQ(up[L1D_LOAD_MISSES], pages * kLinesOfPage) << "lines come into the second level";
    EXPECT_EQ(up[STALL_LOAD], 2 * pages * 53 + pages * 62 * 8);
  }
  // It begins 40 lines before the end of a page.
  EXPECT_EQ(loads(m, 40 + 64, 100, backward)[L2_LOAD_MISSES], 4U);
}

TEST(SimulatorStreams, WhatIsNotAStreamOfLinesIsNotFollowed) {
  const model m = with_prefetcher(8, 4, 0);
  const auto every_other_line = [](std::size_t i) { return 2 * i * kLine; };
  const auto in_pages = [](std::size_t i) { return i * kPage; };
  EXPECT_EQ(loads(m, 100, 100, every_other_line)[L2_LOAD_MISSES], 100U);
  EXPECT_EQ(loads(m, 100, 100, in_pages)[L2_LOAD_MISSES], 100U);
}

TEST(SimulatorStreams, AsManyAsThePrefetcherHasAreFollowedAtATime) {
  const auto three_in_turn = [](std::size_t i) { return i % 3 * 16 * kPage + i / 3 * kLine; };
  EXPECT_EQ(loads(with_prefetcher(3, 4, 0), 3 * 64, 100, three_in_turn)[L2_LOAD_MISSES], 6U);
  EXPECT_EQ(loads(with_prefetcher(2, 4, 0), 3 * 64, 100, three_in_turn)[L2_LOAD_MISSES], 192U);
}

TEST(SimulatorStreams, ALoadWaitsForALineThatIsOnItsWay) {
  // A round takes 11 cycles and waits for the second level. The second load asks for lines 2 and 3,
  // which come while it waits for its own. The third asks for lines 4 and 5. They come 53 cycles
  // later, but the fifth wants line 4 after two rounds and 8 cycles: 7 cycles earlier.
  const auto forward = [](std::size_t i) { return i * kLine; };
  const Counts soon = loads(with_prefetcher(1, 20, 0), kLinesOfPage, 10, forward);
  EXPECT_EQ(soon[STALL_LOAD], 2 * 53U + 62 * 8 + 7);
  // Memory sends a line every 30 cycles, which is longer than a round of 11 + 8.
  const Counts slow = loads(with_prefetcher(1, 20, 30), kLinesOfPage, 10, forward);
  EXPECT_GT(slow[CYCLES], 60 * 30U);
  EXPECT_LT(slow[CYCLES], 70 * 30U + 2 * 64);
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE
