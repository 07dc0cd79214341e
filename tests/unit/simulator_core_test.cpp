// Compares every count of the simulator's core with the slow reference. The programs exercise the
// core's fast paths: the tables of the fast caches, steady loops, and groups of ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "simulator_random.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

class SimulatorCore : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulatorCore, CountsLikeTheReference) {
  Dice dice(GetParam());
  for (unsigned round = 0; round < 8; ++round) {
    model m = random_model(dice);
    if (round == 0) {  // a geometry that the loop is compiled for
      m.page = 4096;
      m.l1d = {32768, 8, 64, REPLACE_LRU, 1, 4, 0};
    }
    Code code(m);
    const std::vector<segment*> segments = random_code(code, dice, m);
    const std::vector<Step> steps = random_program(m, segments, dice, 8'000);
    Core core(m);
    core.run(steps, 1 + dice.below(800));
    ASSERT_EQ(to_text(core.counts()), to_text(Reference(m).run(steps))) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulatorCore, testing::Range<std::uint64_t>(1, 25));

TEST(SimulatorCoreTimes, AreRenumberedWithoutAnEffectOnCounts) {
  Dice dice(7);
  for (unsigned round = 0; round < 30; ++round) {
    const model m = random_model(dice);
    Code code(m);
    const std::vector<segment*> segments = random_code(code, dice, m);
    const std::vector<Step> steps = random_program(m, segments, dice, 4'000);
    Core core(m);
    for (std::size_t at = 0; at < steps.size(); at += 100) {
      core.use_up_times();
      core.run(std::span(steps).subspan(at, 100));
    }
    ASSERT_EQ(to_text(core.counts()), to_text(Reference(m).run(steps))) << "round " << round;
  }
}

TEST(SimulatorCoreSlices, AddUpToTheCountsOfTheRun) {
  Dice dice(99);
  model m = small_model();
  Code code(m);
  const std::vector<segment*> segments = random_code(code, dice, m);
  const std::vector<Step> steps = random_program(m, segments, dice, 20'000);
  m.shortest_slice_ns = 200;
  m.longest_slice_ns = 1'000;
  Core core(m);
  core.run(steps);
  EXPECT_GT(core.slices().size(), 500U);
  EXPECT_EQ(to_text(core.counts()), to_text(Reference(m).run(steps)));
}

// Each segment takes one cycle and waits for nothing. A slice that begins at cycle s therefore ends
// at the first cycle at or after s + s/512, within the bounds.
TEST(SimulatorCoreSlices, LastA512thOfTheTimeSoFarWithinTheirBounds) {
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
  EXPECT_GT(begun, 512U * 700);  // the upper bound was reached
}

// The caches keep what the parent has brought in.
TEST(SimulatorCoreSlices, StartAtZeroInAChild) {
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
}  // namespace tacho::simulator::TEST_FILE
