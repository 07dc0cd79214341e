// Intervals of a run's figures, if the executions in one stack resemble each other.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "blocks/run_intervals.hpp"
#include "blocks_interval_scores.hpp"
#include "blocks_made_up_stacks.hpp"

namespace tacho::TEST_FILE {
namespace {

// The loop at 0x1010…0x1020 has phases in which it is slow and mispredicted. A stack is in one of
// the phases. Apart from that, each execution is drawn independently.
class Phases {
 public:
  static constexpr double kSlowPhases = 0.45;
  static constexpr double kOddInPhase = 0.1;
  // Share of the executions that are slow and mispredicted.
  static constexpr double kSlow = kSlowPhases * (1 - kOddInPhase) + (1 - kSlowPhases) * kOddInPhase;
  // Fast ones take 30 to 49 cycles, slow ones 130 to 149, all equally likely.
  static constexpr double kMean = (1 - kSlow) * 39.5 + kSlow * 139.5;
  static constexpr double kMedian = 30 + 20 * 0.5 / (1 - kSlow);

  Blocks blocks(int stacks) {
    MadeUpStacks made;
    for (int i = 0; i < stacks; ++i) {
      const bool slow_phase = part(random_) < kSlowPhases;
      std::vector<perfdata::Branch> stack;
      for (int k = 0; k < 17; ++k) {
        const bool slow = slow_phase != (part(random_) < kOddInPhase);
        const auto cycles = static_cast<std::uint16_t>((slow ? 130 : 30) + random_() % 20);
        stack.push_back(slow ? missed(0x1020, 0x1010, cycles) : taken(0x1020, 0x1010, cycles));
      }
      made.stack(1, stack);
    }
    return made.blocks();
  }

 private:
  static double part(std::mt19937& random) {
    return std::uniform_real_distribution<double>(0, 1)(random);
  }
  std::mt19937 random_{1};
};

TEST(RunIntervals, CoverTheTruthIfExecutionsInAStackResembleEachOther) {
  Phases phases;
  constexpr int kTimes = 400;
  int mispredicted = 0, median = 0, mean = 0, share = 0, two_modes = 0;
  double width = 0;
  for (int i = 0; i < kTimes; ++i) {
    const Blocks blocks = phases.blocks(120);
    ASSERT_EQ(blocks.runs.size(), 1U);
    const CodeRun& run = blocks.runs[0];
    ASSERT_EQ(run.kept.size(), run.count);
    const auto holds = [](const auto& interval, double truth) {
      return static_cast<double>(interval.low) <= truth &&
                     truth <= static_cast<double>(interval.high)
                 ? 1
                 : 0;
    };
    const auto ratio = mispredict_ratio(run);
    ASSERT_TRUE(ratio);
    mispredicted += holds(ratio->ci95, Phases::kSlow);
    width += ratio->ci95.high - ratio->ci95.low;
    // The median of whole numbers is one of them.
    const QuantileInterval middle = run_quantile95(run, 0.5);
    median += middle.sure && static_cast<double>(middle.low) <= Phases::kMedian &&
                      Phases::kMedian <= static_cast<double>(middle.high) + 1
                  ? 1
                  : 0;
    mean += holds(mean95(run), Phases::kMean);
    const std::vector<Mode> modes = modes_of(run);
    if (modes.size() != 2) continue;
    ++two_modes;
    share += holds(modes[1].share95, Phases::kSlow);
  }
  EXPECT_GE(mispredicted, kTimes * 93 / 100);
  EXPECT_GE(median, kTimes * 93 / 100);
  EXPECT_GE(mean, kTimes * 93 / 100);
  EXPECT_GE(two_modes, kTimes * 95 / 100);
  EXPECT_GE(share, two_modes * 93 / 100);
  // Not much wider than needed: 120 stacks whose shares have a standard deviation of 0.405.
  EXPECT_LT(width / kTimes, 1.15 * 2 * 1.96 * 0.405 / std::sqrt(120));
}

// With 120 stacks, in any order of executions and for most distributions. 400 draws of each of
// these cells: if 95 % hold, a cell with fewer than 91 % comes once in 5,000 times. bench/
// part_coverage prints more of them.
TEST(RunIntervals, CoverTheTruthOfThisRecordingAndAreNotTooWide) {
  using drawn::Cycles;
  using drawn::Order;
  for (const Order order : {Order::independent, Order::alike, Order::phases, Order::drift})
    for (const Cycles cycles : {Cycles::two_modes, Cycles::skewed, Cycles::rare}) {
      auto scores = drawn::score_runs(cycles, order, 120, 400, 11);
      for (const auto& [figure, score] : scores) {
        const auto cell = [&] {
          return testing::Message() << figure << ", order " << static_cast<int>(order)
                                    << ", cycles " << static_cast<int>(cycles);
        };
        // The 99th percentile lies where the executions that take 50 times as long begin.
        if (figure == "p99" && cycles == Cycles::rare) continue;
        EXPECT_LE(score.without(), figure == "p99" ? 20U : 0U) << cell();
        if (score.intervals() < 300) continue;  // two modes were found in a part of the runs only
        EXPECT_GE(score.held(), 0.91) << cell();
        if (figure == "mean" || figure == "IPC" || figure == "mispredicted") {
          EXPECT_LE(score.too_wide(), 1.4) << cell();
        }
      }
    }
}

// Samples of a run that becomes slower and slower show every stage of it.
TEST(RunIntervals, ADriftThatAllStacksShowDoesNotWidenThem) {
  RandomDraws random(4);
  const drawn::Drawn drift =
      drawn::draw_run(drawn::Cycles::two_modes, drawn::Order::drift, 600, random);
  const drawn::Drawn steady =
      drawn::draw_run(drawn::Cycles::two_modes, drawn::Order::independent, 600, random);
  const auto width = [](const CodeRun& run) { return mean95(run).high - mean95(run).low; };
  EXPECT_LT(width(drift.run), 1.2 * width(steady.run));
}

TEST(RunIntervals, IpcHasNoneFromFewStacksOrFromSaturatedCycles) {
  RandomDraws random(5);
  CodeRun run = drawn::draw_run(drawn::Cycles::skewed, drawn::Order::independent, 5, random).run;
  EXPECT_FALSE(std::isfinite(ipc95(run)->high));
  run = drawn::draw_run(drawn::Cycles::skewed, drawn::Order::independent, 60, random).run;
  EXPECT_TRUE(std::isfinite(ipc95(run)->high));
  run.cycles.add(kMostCycles);
  EXPECT_FALSE(std::isfinite(ipc95(run)->high));
  run.instructions.reset();
  EXPECT_FALSE(ipc95(run));
}

// A hump with as many executions as one stack has is no mode of the program.
TEST(RunIntervals, AHumpFromOneStackIsNoMode) {
  std::mt19937 random(2);
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    MadeUpStacks made;
    for (int stack = 0; stack < 25; ++stack) {
      const auto cycles = static_cast<std::uint16_t>(100 + random() % 200);
      made.stack(1, std::vector<perfdata::Branch>(32, taken(0x1020, 0x1010, cycles)));
    }
    wrong += modes_of(made.blocks().runs[0]).size() != 1 ? 1 : 0;
  }
  EXPECT_LE(wrong, 5);
}

TEST(RunIntervals, AreThoseOfIndependentDrawsIfEachStackHasOneExecution) {
  MadeUpStacks made;
  for (int i = 0; i < 100; ++i)
    made.stack(1, {i < 30 ? missed(0x1020, 0x3000, 7) : taken(0x1020, 0x3000, 9),
                   taken(0x2000, 0x1000, 1)});
  const Blocks blocks = made.blocks();
  const auto ratio = mispredict_ratio(blocks.runs[0]);
  ASSERT_TRUE(ratio);
  const ShareInterval independent = wilson95(0.3, 100);
  EXPECT_DOUBLE_EQ(ratio->ci95.low, independent.low);
  EXPECT_DOUBLE_EQ(ratio->ci95.high, independent.high);
}

}  // namespace
}  // namespace tacho::TEST_FILE
