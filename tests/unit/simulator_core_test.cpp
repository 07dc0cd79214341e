// The simulator's core against the slow reference: every count of it, on streams made to meet what
// the core does specially — lists of what is present, remembered pieces of code, ways in one word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "simulator_made_up.hpp"

namespace tacho::simulator {
namespace {

class SimulatorCore : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulatorCore, CountsAsTheReference) {
  Dice dice(GetParam());
  for (unsigned round = 0; round < 8; ++round) {
    model m = made_up_model(dice);
    if (round == 0) {  // the geometries for which the core's loop is compiled
      m.page = 4096;
      m.l1d = {32768, 8, 64, REPLACE_LRU, 1, 4};
    }
    Code code(m);
    const std::vector<segment*> segments = made_up_code(code, dice, m);
    const std::vector<Step> steps = made_up_program(m, segments, dice, 8'000);
    Core core(m);
    core.run(steps, 1 + dice.below(800));
    ASSERT_EQ(named(core.counts()), named(Reference(m).run(steps))) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulatorCore, testing::Range<std::uint64_t>(1, 25));

// When the numbers that order uses are used up, others take their places, and nothing else changes.
TEST(SimulatorCoreTimes, BeginAnewWithoutATrace) {
  Dice dice(7);
  for (unsigned round = 0; round < 30; ++round) {
    const model m = made_up_model(dice);
    Code code(m);
    const std::vector<segment*> segments = made_up_code(code, dice, m);
    const std::vector<Step> steps = made_up_program(m, segments, dice, 4'000);
    Core core(m);
    for (std::size_t at = 0; at < steps.size(); at += 100) {
      core.use_up_times();
      core.run(std::span(steps).subspan(at, 100));
    }
    ASSERT_EQ(named(core.counts()), named(Reference(m).run(steps))) << "round " << round;
  }
}

// Slices may be cut anywhere; nothing may be lost or counted twice.
TEST(SimulatorCoreSlices, SumUpToTheWhole) {
  Dice dice(99);
  model m = small_model();
  Code code(m);
  const std::vector<segment*> segments = made_up_code(code, dice, m);
  const std::vector<Step> steps = made_up_program(m, segments, dice, 20'000);
  m.shortest_slice_ns = 200;
  m.longest_slice_ns = 1'000;
  Core core(m);
  core.run(steps);
  EXPECT_GT(core.slices().size(), 500U);
  EXPECT_EQ(named(core.counts()), named(Reference(m).run(steps)));
}

// Segments of one cycle each, for which nothing is waited: a slice that begins at cycle s ends at
// the first one at or after s + s/512, within the bounds.
TEST(SimulatorCoreSlices, LastA512thOfTheTimeSoFarWithinBounds) {
  model m = small_model();
  m.shortest_slice_ns = 100;
  m.longest_slice_ns = 700;
  m.memory_latency = m.l2.latency = 1;
  m.main_tlb.latency = m.walk_latency = 0;
  Code code(m);
  const std::vector<Step> steps(500'000, Step{code.add(0x1000, {4}, {}), {}});
  Core core(m);
  core.run(steps, 2'000);
  std::uint64_t begun = 0;
  for (const Counts& slice : core.slices()) {
    ASSERT_EQ(slice[CYCLES], std::clamp<std::uint64_t>((begun + 511) / 512, 100, 700)) << begun;
    ASSERT_EQ(slice[INSTRUCTIONS], slice[CYCLES]);
    begun += slice[CYCLES];
  }
  EXPECT_GT(begun, 512U * 700);  // the upper bound was met
}

// In a child time begins anew, but the caches are as its parent had them.
TEST(SimulatorCoreSlices, BeginAnewInAChild) {
  model m = small_model();
  m.shortest_slice_ns = m.longest_slice_ns = 150;
  Code code(m);
  const std::vector<Step> steps(20, Step{code.add(0x1000, {4}, {}), {}});
  Core core(m);
  core.run(steps);
  EXPECT_EQ(core.counts()[CYCLES], 20U + 60 + 55);  // a walk, and memory beyond the first level's 1
  core.restart();
  core.run(steps);
  EXPECT_EQ(core.counts()[CYCLES], 20U);
  EXPECT_EQ(core.slices().size(), 0U);
}

}  // namespace
}  // namespace tacho::simulator
