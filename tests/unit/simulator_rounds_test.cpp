// The waits of loops against a simulation of many rounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulator_random.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

constexpr std::uint64_t kLoad = 4;  // cycles

struct Piece {
  std::vector<dependence> dependences;
  unsigned operands;
};

Piece random_piece(Dice& dice) {
  const std::vector<unsigned> operands(dice.below(4), 8);
  return {random_dependences(dice, operands), static_cast<unsigned>(operands.size())};
}

// The cycles that a round takes after many rounds.
double cycles_by_rounds(std::span<const Piece> pieces) {
  constexpr int kRounds = 4'000;
  std::vector<double> ready(FROM_NOTHING + 1, 0);
  double halfway = 0;
  for (int i = 0; i < 2 * kRounds; ++i) {
    for (const Piece& piece : pieces) {
      std::vector<double> ends = ready, loaded(piece.operands, 0);
      std::vector<bool> written(ends.size(), false);
      for (const dependence& each : piece.dependences) {
        const double from = each.from == FROM_NOTHING ? 0
                            : each.from < FROM_NOTHING
                                ? ready[each.from] + each.after
                                : loaded[each.from - FROM_OPERAND] + kLoad + each.after;
        if (each.to < TO_BRANCH) loaded[each.to] = std::max(loaded[each.to], from);
        if (each.to < TO_REGISTER) continue;
        const std::size_t to = each.to - TO_REGISTER;
        ends[to] = written[to] ? std::max(ends[to], from) : from;
        written[to] = true;
      }
      ready = ends;
    }
    if (i == kRounds - 1) halfway = std::ranges::max(ready);
  }
  return (std::ranges::max(ready) - halfway) / kRounds;
}

TEST(SimulatorRounds, TakeAsLongAsManyRoundsDo) {
  Dice dice(11);
  unsigned waited = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<Piece> pieces;
    for (std::uint64_t left = 1 + dice.below(4); left != 0; --left)
      pieces.push_back(random_piece(dice));
    std::vector<flow> flows;
    for (const Piece& piece : pieces)
      flows.push_back({piece.dependences.data(), static_cast<unsigned>(piece.dependences.size()),
                       piece.operands});
    const double time = rounds_time(flows.data(), static_cast<unsigned>(flows.size()), kLoad);
    const double expected = std::max(1.0, cycles_by_rounds(pieces));
    ASSERT_NEAR(time / PARTS_PER_CYCLE, expected, 0.01) << i;
    waited += expected > 1;
  }
  EXPECT_GT(waited, 100U);
}

// Two segments make a round. The second one adds to a register.
TEST(SimulatorRounds, AreKnownWhenTheyHaveBeenSeenOften) {
  model m = small_model();
  m.in_order = 0;
  m.window = {64, 4, 8, 1};
  m.memory_latency = m.l2.latency = 1;
  m.main_tlb.latency = m.walk_latency = m.branch.mispredict = 0;
  Code code(m);
  segment* const first = code.add(0x1000, {4}, {});
  code.depend(first, {});
  segment* const second = code.add(0x1004, {4}, {}, LEAVE_DIRECT);
  code.depend(second, std::vector<dependence>{{TO_REGISTER + 1, 1, 5}});
  std::vector<Step> steps;
  constexpr unsigned kRounds = 1'000;
  for (unsigned i = 0; i < kRounds; ++i) {
    steps.push_back({first, {}});
    steps.push_back({second, {}});
  }
  Core core(m);
  core.run(steps);
  // A round is over at the branch behind it, which the last one does not have.
  const unsigned waits = kRounds - 1 - (SEEN_OFTEN - 1);
  EXPECT_EQ(core.counts()[STALL_DEPENDENCY], waits * 3U);
  EXPECT_EQ(core.counts()[CYCLES], 2 * kRounds + waits * 3U);
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE
