// Loops and chains in made-up stacks, whose loops are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "blocks_made_up_stacks.hpp"

namespace tacho::TEST_FILE {
namespace {

// Records the branches of a program as a processor does that takes a sample after every `every`
// branches.
void record(MadeUpStacks& made, const std::vector<perfdata::Branch>& taken_ones, std::size_t every,
            std::size_t depth = 32) {
  for (std::size_t end = depth; end <= taken_ones.size(); end += every) {
    std::vector<perfdata::Branch> stack(
        taken_ones.begin() + static_cast<std::ptrdiff_t>(end - depth),
        taken_ones.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::reverse(stack);
    made.stack(1, stack);
  }
}

// The loop at 0x1010…0x1020, in a function at 0x1000, which is called from a loop at 0x2000…0x2020.
std::vector<perfdata::Branch> nested(int calls, int iterations) {
  std::vector<perfdata::Branch> all;
  for (int call = 0; call < calls; ++call) {
    all.push_back(taken(0x2010, 0x1000, 4));
    for (int i = 1; i < iterations; ++i) all.push_back(taken(0x1020, 0x1010, 6));
    all.push_back(taken(0x1030, 0x2014, 9));  // leaves the loop and returns
    all.push_back(taken(0x2020, 0x2000, 2));
  }
  return all;
}

TEST(LoopsAndChains, TheTripsOfALoopAreTheIterationsPerEntry) {
  MadeUpStacks made;
  record(made, nested(3000, 8), 7);
  const Blocks blocks = made.blocks();
  const auto inner = std::ranges::find_if(blocks.loops, [&](const RunLoop& loop) {
    return loop.round.runs.size() == 1 && blocks.runs[loop.round.runs[0]].start == 0x1010;
  });
  ASSERT_NE(inner, blocks.loops.end());
  ASSERT_TRUE(inner->trips);
  EXPECT_NEAR(*inner->trips, 8, 0.4);
  EXPECT_LT(inner->trips_low, 8);
  EXPECT_GT(inner->trips_high.value_or(0), 8);
  EXPECT_EQ(inner->round.cycles.bins().front(), (Histogram::Bin{6, inner->round.count}));
}

const RunLoop* loop_at(const Blocks& blocks, std::uint64_t start) {
  const auto found = std::ranges::find_if(blocks.loops, [&](const RunLoop& loop) {
    return loop.round.runs.size() == 1 && blocks.runs[loop.round.runs[0]].start == start;
  });
  return found == blocks.loops.end() ? nullptr : &*found;
}

// Iterations in one stack resemble each other, so intervals must depend on the number of stacks.
TEST(LoopsAndChains, IntervalsOfTripsCoverTheTruthIfLongAndShortLoopsComeInPhases) {
  std::vector<perfdata::Branch> all;
  constexpr int kPhases = 40, kShort = 100, kLong = 400;
  for (int phase = 0; phase < kPhases; ++phase)
    for (const auto& more : {nested(kShort, 2), nested(1, kLong)})
      all.insert(all.end(), more.begin(), more.end());
  constexpr double kTrips = (2.0 * kShort + kLong) / (kShort + 1);
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> place(0, all.size() - 32);
  int held = 0;
  constexpr int kTimes = 200;
  for (int i = 0; i < kTimes; ++i) {
    MadeUpStacks made;
    for (int stack = 0; stack < 80; ++stack) {
      const std::size_t at = place(random);
      record(made,
             std::vector(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at + 32)),
             1);
    }
    const Blocks blocks = made.blocks();
    const RunLoop* loop = loop_at(blocks, 0x1010);
    ASSERT_NE(loop, nullptr);
    held += loop->trips_low <= kTrips && kTrips <= loop->trips_high.value_or(1e9) ? 1 : 0;
  }
  EXPECT_GE(held, kTimes * 93 / 100);
}

TEST(LoopsAndChains, ALoopThatWasNeverSeenToBeEnteredHasALowerBoundOnly) {
  MadeUpStacks made;
  record(made, std::vector<perfdata::Branch>(1000, taken(0x1020, 0x1010, 6)), 31);
  const Blocks blocks = made.blocks();
  ASSERT_EQ(blocks.loops.size(), 1U);
  EXPECT_EQ(blocks.loops[0].trips, std::nullopt);
  EXPECT_GT(blocks.loops[0].trips_low, 100);
  EXPECT_EQ(blocks.loops[0].entered, 0U);
}

TEST(LoopsAndChains, AChainIsCountedAsAWhole) {
  MadeUpStacks made;
  for (int i = 0; i < 10; ++i)
    made.stack(1, {taken(0x1000, 0x9000, 4), taken(0x2000, 0x1000 - 8, 3),
                   taken(0x3000, 0x2000 - 8, 2), taken(0x4000, 0x3000 - 8, 1)});
  const Blocks blocks = made.blocks();
  EXPECT_TRUE(blocks.loops.empty());
  ASSERT_EQ(blocks.chains.size(), 1U);
  EXPECT_EQ(blocks.chains[0].count, 10U);
  std::vector<std::uint64_t> ends;
  for (const std::size_t run : blocks.chains[0].runs) ends.push_back(blocks.runs[run].end);
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{0x3000, 0x2000, 0x1000}));
  EXPECT_EQ(blocks.chains[0].cycle_sum, 90U);
}

// Runs that follow each other at random, of one function or of several, with stacks of all lengths.
TEST(LoopsAndChains, EachThatIsReportedWasSeenTwice) {
  std::mt19937 random(3);
  for (int recording = 0; recording < 200; ++recording) {
    MadeUpStacks made;
    const std::uint64_t places = 2 + random() % 9;
    const auto place = [&] { return 0x1000 + 0x10 * (random() % places); };
    for (int i = 0; i < 60; ++i) {
      std::vector<perfdata::Branch> stack;
      std::uint64_t at = place();
      for (std::size_t k = 1 + random() % 8; k > 0; --k) {
        const std::uint64_t from = at + 0x10 * (random() % 3);
        at = place();
        stack.push_back(taken(from, at, static_cast<std::uint16_t>(1 + random() % 5)));
      }
      std::ranges::reverse(stack);  // the newest comes first
      made.stack(1, stack);
    }
    const Blocks blocks = made.blocks();
    for (const RunChain& chain : blocks.chains) EXPECT_GE(chain.count, 2U);
    for (const RunLoop& loop : blocks.loops) EXPECT_GE(loop.round.count, 2U);
  }
}

TEST(LoopsAndChains, RunsThatFollowEachOtherOnceAreNoChain) {
  MadeUpStacks made;
  for (std::uint64_t i = 0; i < 40; ++i)
    made.stack(1, {taken(0x100000 + 64 * i, 0x10, 4), taken(0x2000, 0x100000 + 64 * i - 8, 3),
                   taken(0x3000, 0x1ff0, 2)});
  const Blocks blocks = made.blocks();
  EXPECT_TRUE(blocks.loops.empty());
  EXPECT_TRUE(blocks.chains.empty());
}

}  // namespace
}  // namespace tacho::TEST_FILE
