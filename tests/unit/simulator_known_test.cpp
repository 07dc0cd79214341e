// The simulator's core on textbook cases, whose counts can be computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "simulator_programs.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

// The counts of `rounds` rounds of loads at these addresses.
Counts loads(const model& m, const std::vector<std::uint64_t>& addresses, unsigned rounds,
             unsigned code = 4) {
  Code made(m);
  segment* load = made.add(0x1000, {4}, {code});
  std::vector<Step> steps;
  for (; rounds != 0; --rounds)
    for (const std::uint64_t address : addresses) steps.push_back({load, {address}});
  Core core(m);
  core.run(steps);
  return core.counts();
}

std::vector<std::uint64_t> stride(std::uint64_t step, std::uint64_t count) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < count; ++i) addresses.push_back(0x100000 + i * step);
  return addresses;
}

// A model whose DTLB misses each page once only, for tests of caches.
model large_dtlb() {
  model m = small_model();
  m.dtlb = {1024, 1024, 0, REPLACE_LRU, 0};
  return m;
}

TEST(SimulatorKnown, LinesThatFitMissOnce) {
  const Counts counts = loads(large_dtlb(), stride(32, 32), 10);  // all 1,024 bytes
  EXPECT_EQ(counts[L1D_LOAD_MISSES], 32U);
  EXPECT_EQ(counts[L2_LOAD_MISSES], 16U);  // its lines have 64 bytes
  EXPECT_EQ(counts[LOADS], 320U);
}

TEST(SimulatorKnown, LruAlwaysMissesWhenOneLineIsTooMany) {
  for (const std::uint64_t ways : {1U, 2U, 4U, 8U, 16U, 32U}) {
    model m = large_dtlb();
    m.l1d.ways = ways;
    const std::uint64_t sets = 32 / ways;
    // One line more than a set has ways.
    EXPECT_EQ(loads(m, stride(sets * 32, ways + 1), 10)[L1D_LOAD_MISSES], 10 * (ways + 1)) << ways;
    // One line more than the cache has: its set thrashes, the other sets keep their lines.
    EXPECT_EQ(loads(m, stride(32, 33), 10)[L1D_LOAD_MISSES], 33 + 9 * (ways + 1)) << ways;
    // One line more in each set.
    EXPECT_EQ(loads(m, stride(32, 32 + sets), 10)[L1D_LOAD_MISSES], 10 * (32 + sets)) << ways;
  }
}

TEST(SimulatorKnown, RoundRobinIgnoresHits) {
  model m = large_dtlb();
  m.l1d = {64, 2, 32, REPLACE_LRU, 1, 3, 0};  // one set
  const std::vector<std::uint64_t> stream = {0x1000, 0x2000, 0x1000, 0x3000, 0x1000};
  EXPECT_EQ(loads(m, stream, 1)[L1D_LOAD_MISSES], 3U);  // 0x3000 takes 0x2000's place
  m.l1d.replacement = REPLACE_ROUND_ROBIN;
  EXPECT_EQ(loads(m, stream, 1)[L1D_LOAD_MISSES], 4U);  // and here 0x1000's
}

TEST(SimulatorKnown, OnePageTooManyAlwaysMisses) {
  const model m = small_model();  // DTLB: 4 entries; main TLB: 16 entries, 2 ways
  Counts counts = loads(m, stride(4096, 4), 10);
  EXPECT_EQ(counts[DTLB_LOAD_MISSES], 4U);
  EXPECT_EQ(counts[WALK_LOADS], 4U);
  counts = loads(m, stride(4096, 5), 10);
  EXPECT_EQ(counts[DTLB_LOAD_MISSES], 50U);
  EXPECT_EQ(counts[WALK_LOADS], 5U);
  counts = loads(m, stride(8 * 4096, 5), 10);  // five pages of one set
  EXPECT_EQ(counts[WALK_LOADS], 50U);
  EXPECT_EQ(counts[STALL_DTLB], 50U * 60);
}

TEST(SimulatorKnown, VictimsKeepTranslationsThatTheMainTlbEvicts) {
  model m = small_model();
  m.main_tlb.victims = 3;  // with the two ways: five pages
  EXPECT_EQ(loads(m, stride(8 * 4096, 5), 10)[WALK_LOADS], 5U);
  EXPECT_EQ(loads(m, stride(8 * 4096, 5), 10)[STALL_DTLB], 5U * 60 + 45 * 7);
  EXPECT_EQ(loads(m, stride(8 * 4096, 6), 10)[WALK_LOADS], 60U);
}

TEST(SimulatorKnown, AnAccessToTwoMissingLinesIsOneMiss) {
  const Counts counts = loads(large_dtlb(), {0x10003e}, 10);  // four bytes, in lines 1 and 2
  EXPECT_EQ(counts[L1D_LOAD_MISSES], 1U);
  EXPECT_EQ(counts[L2_LOAD_MISSES], 1U);
  EXPECT_EQ(counts[STALL_LOAD], 56U - 3);
  // It brings in both lines.
  EXPECT_EQ(loads(large_dtlb(), {0x10003e, 0x100020, 0x100040}, 10)[L1D_LOAD_MISSES], 1U);
  // An access to two pages translates both.
  EXPECT_EQ(loads(small_model(), {0x100ffe}, 10)[WALK_LOADS], 2U);
}

TEST(SimulatorKnown, StoresBringInNoLineWithoutWriteAllocate) {
  model m = large_dtlb();
  EXPECT_EQ(loads(m, {0x100000}, 10, 4 | OPERAND_WRITES)[L1D_STORE_MISSES], 1U);
  m.l1d.write_allocate = 0;
  Counts counts = loads(m, {0x100000}, 10, 4 | OPERAND_WRITES);
  EXPECT_EQ(counts[L1D_STORE_MISSES], 10U);
  EXPECT_EQ(counts[L2_STORE_MISSES], 1U);
  EXPECT_EQ(counts[STALL_STORE], (56U - 3) + 9 * (11 - 3));
  // An update is a load for the cache, and counts as a load and a store.
  counts = loads(m, {0x100000}, 10, 4 | OPERAND_UPDATES);
  EXPECT_EQ(counts[L1D_LOAD_MISSES], 1U);
  EXPECT_EQ(counts[L1D_STORE_MISSES], 0U);
  EXPECT_EQ(counts[LOADS], 10U);
  EXPECT_EQ(counts[STORES], 10U);
}

TEST(SimulatorKnown, CodeOnTwoPagesKeepsBothInUse) {
  model m = small_model();
  m.itlb = {3, 3, 0, REPLACE_LRU, 0};
  Code code(m);
  segment* both = code.add(0x1ffc, {4, 4}, {});
  segment* first = code.add(0x1040, {4}, {});
  segment* third = code.add(0x3080, {4}, {});
  segment* fourth = code.add(0x40c0, {4}, {});
  Core core(m);
  const auto run = [&core](const std::vector<segment*>& segments) {
    std::vector<Step> steps;
    for (segment* each : segments) steps.push_back({each, {}});
    core.run(steps);
    return core.counts()[ITLB_MISSES];
  };
  EXPECT_EQ(run({both, first, third, both, third, first, both}), 3U);
  EXPECT_EQ(run({fourth}), 4U);  // replaces the third
  EXPECT_EQ(run({both, first}), 4U);
  EXPECT_EQ(run({third}), 5U);
}

// Control can leave an instruction in its middle: the rest is a segment without fetches.
TEST(SimulatorKnown, TheRestOfAnInstructionFetchesNothing) {
  const model m = small_model();
  Code made(m);
  segment* rest = made.add(0x1000, {}, {4});
  Core core(m);
  core.run(std::vector<Step>(3, {rest, {0x100000}}));
  const Counts counts = core.counts();
  EXPECT_EQ(counts[L1I_MISSES] + counts[ITLB_MISSES], 0U);
  EXPECT_EQ(counts[LOADS], 3U);
  EXPECT_EQ(counts[L1D_LOAD_MISSES], 1U);
}

// Random replacement has no counts that can be computed, but these bounds.
TEST(SimulatorKnown, RandomReplacementKeepsLinesThatFitAndIgnoresHits) {
  model m = large_dtlb();
  m.l1d.replacement = REPLACE_RANDOM;
  EXPECT_EQ(loads(m, stride(32, 32), 10)[L1D_LOAD_MISSES], 32U);
  const Counts over = loads(m, stride(32, 64), 100);
  EXPECT_GT(over[L1D_LOAD_MISSES], 64U);
  EXPECT_LT(over[L1D_LOAD_MISSES], over[LOADS]);  // LRU would always miss
  std::vector<std::uint64_t> twice;
  for (const std::uint64_t address : stride(32, 64)) twice.insert(twice.end(), {address, address});
  EXPECT_EQ(loads(m, twice, 100)[L1D_LOAD_MISSES], over[L1D_LOAD_MISSES]);
}

// ---- Branches ----

// Mispredictions of one conditional branch with these outcomes.
std::uint64_t mispredictions(const model& m, const std::vector<bool>& taken, bool inverted = false,
                             bool backward = true) {
  Code code(m);
  segment* branch = code.add(0x1000, {4}, {}, LEAVE_CONDITIONAL);
  branch->exit = inverted ? branch->back : 0x2000;
  branch->inverted = inverted;
  branch->backward = backward;
  segment* there = code.add(0x2000, {4}, {});
  segment* on = code.add(branch->back, {4}, {});
  std::vector<Step> steps;
  for (const bool each : taken) {
    steps.push_back({branch, {}});
    steps.push_back({each ? there : on, {}});
  }
  Core core(m);
  core.run(steps);
  EXPECT_EQ(core.counts()[BRANCHES], taken.size());
  EXPECT_EQ(core.counts()[STALL_BRANCH], core.counts()[BRANCH_MISSES] * m.branch.mispredict);
  return core.counts()[BRANCH_MISSES];
}

// The outcomes of a loop of n turns: n - 1 times taken, then not.
std::vector<bool> loops(unsigned n, unsigned times) {
  std::vector<bool> taken;
  for (; times != 0; --times) {
    taken.insert(taken.end(), n - 1, true);
    taken.push_back(false);
  }
  return taken;
}

TEST(SimulatorKnown, TwoBitCountersMispredictOnlyTheEndOfALoop) {
  const model m = small_model();
  for (const unsigned n : {3U, 4U, 10U, 100U})  // and once at the start, from weakly not taken
    for (const bool inverted : {false, true})
      EXPECT_EQ(mispredictions(m, loops(n, 20), inverted), 20U + 1) << n;
  EXPECT_EQ(mispredictions(m, loops(2, 20)), 40U);  // alternating: the worst case
  EXPECT_EQ(mispredictions(m, loops(1, 20)), 0U);
}

TEST(SimulatorKnown, HistoryPredictsAlternatingBranches) {
  model m = small_model();
  m.branch.direction = DIRECTION_GSHARE;
  m.branch.history = 4;
  const std::uint64_t learning = mispredictions(m, loops(2, 20));
  EXPECT_LT(learning, 10U);
  EXPECT_EQ(mispredictions(m, loops(2, 2000)), learning);
}

TEST(SimulatorKnown, FixedPredictionTakesOnlyBackwardBranches) {
  model m = small_model();
  m.branch.direction = DIRECTION_FIXED;
  EXPECT_EQ(mispredictions(m, loops(10, 20)), 20U);
  EXPECT_EQ(mispredictions(m, loops(10, 20), false, false), 180U);
}

TEST(SimulatorKnown, ReturnsArePredictedUpToTheDepthOfTheStack) {
  for (const unsigned depth : {1U, 4U, 5U, 9U}) {
    const model m = small_model();  // 4 entries
    Code code(m);
    std::vector<Step> steps;
    std::vector<segment*> calls;
    for (unsigned i = 0; i < depth; ++i)
      calls.push_back(code.add(0x1000 + i * 0x100, {4}, {}, LEAVE_CALL));
    segment* callee = code.add(0x8000, {4}, {}, LEAVE_RETURN);
    for (segment* call : calls) steps.push_back({call, {}});
    steps.push_back({callee, {}});
    for (std::size_t i = depth; i-- > 0;)
      steps.push_back({code.add(calls[i]->back, {4}, {}, i != 0 ? LEAVE_RETURN : LEAVE_NONE), {}});
    Core core(m);
    core.run(steps);
    EXPECT_EQ(core.counts()[BRANCHES], 2U * depth);
    EXPECT_EQ(core.counts()[BRANCH_MISSES], depth > 4 ? depth - 4 : 0U) << depth;
  }
}

TEST(SimulatorKnown, IndirectJumpsArePredictedToTheirLastTarget) {
  for (const std::uint64_t targets : {0U, 16U}) {
    model m = small_model();
    m.branch.targets = targets;
    Code code(m);
    segment* jump = code.add(0x1000, {4}, {}, LEAVE_INDIRECT);
    segment* one = code.add(0x2000, {4}, {});
    segment* other = code.add(0x3000, {4}, {});
    std::vector<Step> steady, alternating;
    for (unsigned i = 0; i < 50; ++i) {
      for (std::vector<Step>* both : {&steady, &alternating}) both->push_back({jump, {}});
      steady.push_back({one, {}});
      alternating.push_back({i % 2 != 0 ? one : other, {}});
    }
    Core a(m);
    a.run(steady);
    EXPECT_EQ(a.counts()[BRANCH_MISSES], targets != 0 ? 1U : 50U);
    Core b(m);
    b.run(alternating);
    EXPECT_EQ(b.counts()[BRANCH_MISSES], 50U);
  }
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE
