// Times of out-of-order cores in closed form. Each instruction takes a cycle to enter the window,
// and a load that hits takes 3. The second level takes 8 more, and memory 53.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "simulator_programs.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

using Dependences = std::vector<dependence>;

constexpr std::uint64_t kHit = 3, kSecond = 8, kMemory = 53;
constexpr unsigned kAddress = 1;  // the register of an address

// Pages and fetches cost nothing, and the second level has a place for each line.
model a_model() {
  model m = small_model();
  m.in_order = 0;
  m.latency.integer = 1;
  m.window = {64, 4, 8, 1};
  m.main_tlb.latency = m.walk_latency = 0;
  m.l1i.latency = m.memory_latency;
  m.l2.size = 1 << 20;
  return m;
}

class SimulatorOverlap : public testing::Test {
 protected:
  // A segment of so many instructions, with its operands and its dependences.
  segment* add(unsigned instructions, const std::vector<unsigned>& operands,
               const Dependences& dependences = {}, leave how = LEAVE_NONE) {
    segment* s = code_.add(next_, std::vector<unsigned>(instructions, 1), operands, how);
    code_.depend(s, dependences);
    next_ += 64;
    return s;
  }

  void execute(segment* s, const std::vector<std::uint64_t>& operands = {}) {
    steps_.push_back({s, operands});
  }

  // The counts when all is there: instructions that take no time fill the window behind the
  // program.
  Counts counts() {
    segment* const last = add(400, {});
    last->parts = 0;
    std::vector<Step> all = steps_;
    all.push_back({last, {}});
    for (const Step& each : all) each.what->present_at = each.what->steady_at = 0;  // a new core
    Core core(m_);
    core.run(all);
    return core.counts();
  }

  model m_ = a_model();
  Code code_{m_};
  std::uint64_t next_ = 0x1000;
  std::vector<Step> steps_;
};

const Dependences kChain = {{0, kAddress, 0}, {TO_REGISTER + kAddress, FROM_OPERAND, 0}};

TEST_F(SimulatorOverlap, LoadsThatNeedNothingAreOnTheirWayTogether) {
  segment* const load = add(1, {8});
  for (std::uint64_t i = 1; i <= 12; ++i) execute(load, {0x10000 * i});
  // Four at a time: the last group waits for two others, and its last load for three entries.
  EXPECT_EQ(counts()[STALL_LOAD], 3 * kMemory + kHit + 4 - 12);
  m_.window.misses = 12;
  EXPECT_EQ(counts()[STALL_LOAD], kMemory + kHit);
}

TEST_F(SimulatorOverlap, AChainOfLoadsWaitsForEach) {
  segment* const load = add(1, {8}, kChain);
  for (std::uint64_t i = 1; i <= 12; ++i) execute(load, {0x10000 * i});
  EXPECT_EQ(counts()[STALL_LOAD], 1 + 12 * (kMemory + kHit) - 12);
}

TEST_F(SimulatorOverlap, ALoadOfALineOnItsWayWaitsForIt) {
  segment* const other = add(1, {8});
  segment* const load = add(1, {8}, kChain);
  for (std::uint64_t i = 1; i <= 12; ++i) {
    execute(other, {0x10000 * i + 8});
    execute(load, {0x10000 * i});  // finds the line in the first level, but not its bytes
  }
  // Nothing but the last group's four hits comes after the last group's lines.
  EXPECT_EQ(counts()[STALL_LOAD], 1 + 3 * kMemory + 4 * kHit - 24);
}

TEST_F(SimulatorOverlap, ACacheSendsALineAfterTheOther) {
  segment* const load = add(1, {8});
  m_.window.misses = 12;
  m_.l2.bandwidth = 4;                        // 16 cycles a line
  for (const std::uint64_t half : {0U, 32U})  // lines of the first level: the second has both
    for (std::uint64_t i = 1; i <= 12; ++i) execute(load, {0x10000 * i + half});
  // The first 12 come from memory. The second level begins to send the others at cycle 13.
  EXPECT_EQ(counts()[STALL_LOAD], 13 + 11 * 16 + kSecond + kHit - 24);
}

TEST_F(SimulatorOverlap, ALineThatIsWantedLateDoesNotHoldUpOthers) {
  segment* const other = add(1, {8});
  segment* const load = add(1, {8}, kChain);
  segment* const pause = add(400, {});
  for (const std::uint64_t line : {0x10000U, 0x20000U}) execute(other, {line});
  execute(pause);
  execute(load, {0x30000});       // from memory
  execute(load, {0x10000 + 32});  // from the second level, when the one before is there
  execute(other, {0x20000 + 32});
  const std::uint64_t unlimited = counts()[STALL_LOAD];
  m_.l2.bandwidth = 4;  // 16 cycles a line
  EXPECT_EQ(counts()[STALL_LOAD], unlimited);
}

TEST_F(SimulatorOverlap, AFullWindowWaits) {
  segment* const load = add(40, {8});
  for (std::uint64_t i = 1; i <= 10; ++i) execute(load, {0x10000 * i});
  m_.window.instructions = 40;  // the next load enters when the last has left
  EXPECT_GE(counts()[STALL_LOAD], 9 * (kMemory + kHit - 40));
  m_.window.instructions = 400;
  EXPECT_EQ(counts()[STALL_LOAD], kMemory + kHit);  // of the last one, at the end
}

TEST_F(SimulatorOverlap, LateValuesGoThroughMemory) {
  segment* const load = add(1, {8}, {{0, kAddress, 0}, {TO_REGISTER + 2, FROM_OPERAND, 0}});
  segment* const store = add(1, {8 | OPERAND_WRITES}, {{0, 2, 0}});
  segment* const again = add(1, {8}, {{TO_REGISTER + kAddress, FROM_OPERAND, 0}});
  m_.window.stores = 20;
  for (std::uint64_t i = 1; i <= 12; ++i) {
    execute(load, {0x10000 * i});
    execute(store, {0x100});
    execute(again, {0x100});
  }
  EXPECT_EQ(counts()[STALL_LOAD], 1 + 12 * (kMemory + 2 * kHit) - 36);
}

TEST_F(SimulatorOverlap, StoresWaitWhenTheirBufferIsFull) {
  segment* const store = add(1, {8 | OPERAND_WRITES});
  for (std::uint64_t i = 1; i <= 40; ++i) execute(store, {0x10000 * i});
  Counts few = counts();
  EXPECT_GE(few[STALL_STORE] + 40 + 8, 8 * kMemory);  // 32 wait, four lines at a time
  EXPECT_EQ(few[STALL_LOAD], 0U);
  m_.window.stores = 40;
  EXPECT_EQ(counts()[STALL_STORE], 0U);
}

TEST_F(SimulatorOverlap, AMispredictedBranchWaitsForItsLoad) {
  segment* const decide = add(1, {8}, {{TO_BRANCH, FROM_OPERAND, 1}}, LEAVE_INDIRECT);
  segment* const there = add(1, {});
  for (std::uint64_t i = 1; i <= 6; ++i) {
    execute(decide, {0x10000 * i});
    execute(there);
  }
  m_.branch.targets = 0;  // each is mispredicted
  const Counts all = counts();
  EXPECT_EQ(all[BRANCH_MISSES], 6U);
  EXPECT_EQ(all[STALL_LOAD], 6 * (kMemory + kHit + 1));
}

TEST_F(SimulatorOverlap, WalksTakeTurns) {
  m_.walk_latency = 30;
  m_.main_tlb = {};
  m_.l2.latency = m_.memory_latency = m_.l1d.latency;
  segment* const load = add(1, {8});
  for (std::uint64_t i = 1; i <= 20; ++i) execute(load, {0x10000 * i});
  const auto waited = [this] {
    const Counts all = counts();
    return all[STALL_DTLB] + all[STALL_LOAD];
  };
  EXPECT_EQ(waited(), 1 + 20 * 30 + kHit - 20);
  EXPECT_GT(counts()[STALL_DTLB], 500U);
  m_.window.walks = 2;
  EXPECT_EQ(waited(), 2 + 10 * 30 + kHit - 20);
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE
