// TAGE and its loop predictor on branches whose predictability is known.
#include <gtest/gtest.h>

#include <cmath>

#include "simulator_random.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

constexpr std::uint64_t kLongest = 90;

model with_tage(std::uint64_t loops) {
  model m = small_model();
  m.branch = {DIRECTION_TAGE, 1024, 0, 16, 4, 6};
  m.tage = {1024, loops, {4, 9, 19, 41, kLongest}};
  return m;
}

// Mispredictions of conditional branches that go as told, one after the other: a list of (branch,
// taken). Each branch leads to itself or to another segment, so that the core's shortcut for loops
// is used. Counting and the reference agree.
std::uint64_t mispredictions(const model& m, const std::vector<std::pair<int, bool>>& outcomes) {
  Code code(m);
  std::vector<segment*> branches;
  for (unsigned i = 0; i < 4; ++i) {
    branches.push_back(code.add(0x1000 + 0x40 * i, {4}, {}, LEAVE_CONDITIONAL));
    branches.back()->exit = branches.back()->address;  // taken: to itself
  }
  std::vector<Step> steps;
  for (const auto& [branch, taken] : outcomes) {
    segment* const s = branches[static_cast<std::size_t>(branch)];
    if (steps.empty() || steps.back().what != s) steps.push_back({s, {}});
    steps.push_back({taken ? s : branches[3], {}});
  }
  Core core(m);
  core.run(steps);
  EXPECT_EQ(to_text(core.counts()), to_text(Reference(m).run(steps)));
  return core.counts()[BRANCH_MISSES];
}

// A loop of n turns: n - 1 times taken, then not.
std::vector<std::pair<int, bool>> loops(unsigned n, unsigned times) {
  std::vector<std::pair<int, bool>> outcomes;
  for (; times != 0; --times)
    for (unsigned turn = 1; turn <= n; ++turn) outcomes.emplace_back(0, turn < n);
  return outcomes;
}

TEST(SimulatorTage, LoopsOfAFixedCountAreMispredictedInTheFirstRoundsOnly) {
  for (const unsigned n : {2U, 3U, 8U, 50U, 500U, 5'000U, 16'384U}) {
    const std::uint64_t first = mispredictions(with_tage(64), loops(n, 12));
    EXPECT_LE(first, 12U) << n;
    EXPECT_EQ(mispredictions(with_tage(64), loops(n, 30)), first) << n;
  }
  EXPECT_GE(mispredictions(with_tage(64), loops(16'385, 12)), 12U) << "14 bits do not hold it";
}

TEST(SimulatorTage, WithoutALoopPredictorLoopsAreKnownUpToTheLongestHistory) {
  for (const unsigned n : {2U, 3U, 8U, 40U, 90U}) {
    const std::uint64_t first = mispredictions(with_tage(0), loops(n, 100));
    EXPECT_EQ(mispredictions(with_tage(0), loops(n, 200)), first) << n;
  }
  EXPECT_GE(mispredictions(with_tage(0), loops(kLongest + 10, 200)), 200U);
}

TEST(SimulatorTage, ALoopThatChangesItsCountIsLearntAnew) {
  std::vector<std::pair<int, bool>> outcomes = loops(200, 10);
  const std::uint64_t one = mispredictions(with_tage(64), outcomes);
  const auto longer = loops(300, 20), shorter = loops(100, 20);
  outcomes.insert(outcomes.end(), longer.begin(), longer.end());
  outcomes.insert(outcomes.end(), shorter.begin(), shorter.end());
  EXPECT_LE(mispredictions(with_tage(64), outcomes), 3 * one + 6);
}

TEST(SimulatorTage, PeriodicPatternsUpToTheLongestHistoryAreLearnt) {
  Dice dice(3);
  for (const unsigned period : {2U, 5U, 16U, 33U, 64U, 90U}) {
    std::vector<bool> pattern;
    for (unsigned i = 0; i < period; ++i) pattern.push_back(dice.one_in(2));
    pattern[0] = !pattern[1];
    const auto repeated = [&](unsigned times) {
      std::vector<std::pair<int, bool>> outcomes;
      for (unsigned i = 0; i < times * period; ++i) outcomes.emplace_back(0, pattern[i % period]);
      return outcomes;
    };
    const std::uint64_t learning = mispredictions(with_tage(0), repeated(100));
    EXPECT_EQ(mispredictions(with_tage(0), repeated(200)), learning) << period;
  }
}

TEST(SimulatorTage, RandomBranchesAreMispredictedHalfOfTheTime) {
  Dice dice(5);
  constexpr unsigned kCount = 40'000;
  std::vector<std::pair<int, bool>> outcomes;
  for (unsigned i = 0; i < kCount; ++i) outcomes.emplace_back(0, dice.one_in(2));
  for (const std::uint64_t loops : {0U, 64U})
    EXPECT_NEAR(static_cast<double>(mispredictions(with_tage(loops), outcomes)), kCount / 2.0,
                4 * std::sqrt(kCount) / 2);
}

TEST(SimulatorTage, ABranchThatFollowsFromAnotherIsPredicted) {
  Dice dice(6);
  constexpr unsigned kCount = 20'000;
  std::vector<std::pair<int, bool>> outcomes;
  for (unsigned i = 0; i < kCount; ++i) {
    const bool a = dice.one_in(2), b = dice.one_in(2);
    outcomes.insert(outcomes.end(), {{0, a}, {1, b}, {2, a && b}});
  }
  // Half of the first two; the third only while it is learnt.
  EXPECT_NEAR(static_cast<double>(mispredictions(with_tage(64), outcomes)), kCount,
              4 * std::sqrt(2 * kCount) / 2 + 0.01 * kCount);
}

TEST(SimulatorTage, ABranchThatGoesOneWayIsMispredictedAtMostOnce) {
  EXPECT_EQ(mispredictions(with_tage(0), std::vector<std::pair<int, bool>>(100, {0, true})), 1U);
  EXPECT_EQ(mispredictions(with_tage(0), std::vector<std::pair<int, bool>>(100, {0, false})), 0U);
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE
