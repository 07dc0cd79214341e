// The simulator's core while it samples: its counts stay the same, and there is one sample per
// period, at the instruction that completed the period.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "simulator_random.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

using testing::ElementsAre;

std::string refused(const std::string& text, unsigned line) {
  sampling s{};
  const unsigned found = sampling_parse(text.data(), text.size(), &s);
  return found == line ? "" : "line " + std::to_string(found);
}

class SimulatorSampling : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulatorSampling, CountsLikeTheReferenceAndTakesASamplePerPeriod) {
  Dice dice(GetParam());
  for (unsigned round = 0; round < 4; ++round) {
    model m = random_model(dice);
    m.shortest_slice_ns = m.longest_slice_ns = 1 + dice.below(5'000);
    Code code(m);
    const std::vector<segment*> segments = random_code(code, dice, m);
    const std::vector<Step> steps = random_program(m, segments, dice, 4'000);
    std::vector<std::pair<std::uint32_t, std::uint64_t>> events;
    for (unsigned column = 0; column < COLUMN_COUNT; ++column)
      events.emplace_back(1U << column, 1 + dice.below(90));
    events.emplace_back(1U << LOADS | 1U << STORES, 17);
    Core core(m);
    core.sample(events);
    core.run(steps, 1 + dice.below(800));
    const Counts counts = core.counts();
    ASSERT_EQ(to_text(counts), to_text(Reference(m).run(steps))) << "round " << round;
    std::vector<std::uint64_t> taken(events.size());
    for (const Core::Sample& sample : core.samples()) {
      ++taken[sample.event];
      EXPECT_EQ(sample.period, events[sample.event].second);
    }
    for (unsigned i = 0; i < COLUMN_COUNT; ++i)
      EXPECT_EQ(taken[i], counts[i] / events[i].second) << column_names[i];
    EXPECT_EQ(taken[COLUMN_COUNT], (counts[LOADS] + counts[STORES]) / 17);

    Core clock(m);  // cycles alone: the core knows the time of the next sample
    clock.sample({{1U << CYCLES, 23}});
    clock.run(steps, 1 + dice.below(800));
    EXPECT_EQ(clock.samples().size(), counts[CYCLES] / 23);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulatorSampling, testing::Range<std::uint64_t>(1, 7));

// A loop of three instructions: the second loads from another line each time.
TEST(SimulatorSamplingKnown, SamplesAreAtTheInstructionThatCausesTheEvent) {
  model m = small_model();
  m.dtlb = {1024, 1024, 0, REPLACE_LRU, 0};
  Code code(m);
  segment* loop = code.add(0x1000, {4, 4, 4}, {}, LEAVE_CONDITIONAL);
  loop->exit = 0x1000;
  loop->operands = 1;
  loop->codes[0] = 8;  // fits into the padding
  auto* steps = const_cast<step*>(steps_of(loop));
  steps[1].operands = 1;
  loop->counts = PACK_COUNTS(3, 1, 0);
  std::vector<Step> program;
  for (std::uint64_t i = 0; i < 1'000; ++i) program.push_back({loop, {0x100000 + i * 64}});
  Core core(m);
  core.sample(
      {{1U << INSTRUCTIONS, 1}, {1U << L1D_LOAD_MISSES, 1}, {1U << CYCLES, 1}, {1U << BRANCHES, 1}},
      false);
  core.run(program);
  std::array<std::array<unsigned, 3>, 4> found{};
  for (const Core::Sample& sample : core.samples()) ++found[sample.event][(sample.ip - 0x1000) / 4];
  EXPECT_THAT(found[0], ElementsAre(1'000, 1'000, 1'000));
  EXPECT_THAT(found[1], ElementsAre(0, 1'000, 0));
  EXPECT_THAT(found[3], ElementsAre(0, 0, 999));  // the target of the last one is unknown
  // Each load waits 53 cycles for memory, and some wait for a table walk.
  EXPECT_GT(found[2][1], 54'000U);
  EXPECT_LT(found[2][0] + found[2][2], 2'200U);
}

TEST(SimulatorSamplingKnown, TheBranchStackHasTheLastTakenBranchesWithTheirCycles) {
  const model m = small_model();
  Code code(m);
  segment* first = code.add(0x1000, {4, 4}, {}, LEAVE_CALL);
  first->back = 0x1008;
  segment* second = code.add(0x2000, {4, 4, 4}, {}, LEAVE_RETURN);
  segment* third = code.add(0x1008, {4, 4, 4, 4}, {}, LEAVE_CONDITIONAL);
  third->exit = 0x1000;
  std::vector<Step> program;
  for (int i = 0; i < 100; ++i)
    for (segment* each : {first, second, third}) program.push_back({each, {}});
  Core core(m);
  core.sample({{1U << INSTRUCTIONS, 900}});
  core.run(program);
  ASSERT_EQ(core.samples().size(), 1U);
  const Core::Sample& sample = core.samples().front();
  EXPECT_EQ(sample.ip, 0x1014U);  // the last instruction of the hundredth round
  ASSERT_EQ(sample.branches.size(), 32U);
  const std::array<taken_branch, 3> round = {{{0x2008, 0x1008, 3, 6, 0},    // PERF_BR_RET
                                              {0x1004, 0x2000, 2, 4, 0},    // PERF_BR_CALL
                                              {0x1014, 0x1000, 4, 1, 0}}};  // PERF_BR_COND
  for (std::size_t i = 0; i < 32; ++i) {
    const taken_branch& branch = sample.branches[i];
    EXPECT_EQ(branch.from, round[i % 3].from);
    EXPECT_EQ(branch.to, round[i % 3].to);
    EXPECT_EQ(branch.cycles, round[i % 3].cycles);
    EXPECT_EQ(branch.kind, round[i % 3].kind);
    EXPECT_EQ(branch.mispredicted, 0);
  }
}

// Ten instructions run up to the first taken branch.
TEST(SimulatorSamplingKnown, TheFirstSampleWaitsForATakenBranch) {
  const model m = small_model();
  Code code(m);
  segment* straight = code.add(0x1000, {4, 4, 4, 4, 4, 4, 4, 4}, {});
  segment* loop = code.add(0x1020, {4, 4}, {}, LEAVE_CONDITIONAL);
  loop->exit = 0x1020;
  const std::vector<Step> program = {{straight, {}}, {loop, {}}, {loop, {}}, {loop, {}}};
  Core core(m);
  core.sample({{1U << INSTRUCTIONS, 1}, {1U << CYCLES, 7}});
  for (int process = 0; process < 2; ++process) {
    const std::size_t before = core.samples().size();
    core.run(program);
    std::uint64_t instructions = 0;
    for (std::size_t i = before; i < core.samples().size(); ++i) {
      const Core::Sample& sample = core.samples()[i];
      instructions += sample.event == 0;
      ASSERT_FALSE(sample.branches.empty()) << i;
      EXPECT_EQ(sample.branches.back().from, 0x1024U);
      EXPECT_EQ(sample.period, sample.event == 0 ? 1U : 7U);
    }
    EXPECT_EQ(instructions, 14U) << "no sample is lost";
    core.restart();
  }
}

// A prefetch n cycles before the load shortens the load's wait by n cycles.
TEST(SimulatorSamplingKnown, ALoadWaitsForTheRestOfItsPrefetch) {
  const model m = small_model();  // memory takes 53 cycles longer than the first level
  for (const unsigned between : {2U, 10U, 52U, 53U, 80U}) {
    Code code(m);
    segment* load = code.add(0x1000, {4}, {8});
    segment* prefetch = code.add(0x1000 + 4, {4}, {1 | OPERAND_PREFETCH | OPERAND_GUARDED});
    segment* filler = code.add(0x1000 + 8, {4}, {});
    std::vector<Step> program = {{load, {0x100000}}, {prefetch, {0x100400}}, {prefetch, {0}}};
    // The prefetch of address 0 and the load itself take one cycle each.
    program.insert(program.end(), between - 2, Step{filler, {}});
    program.push_back({load, {0x100400}});
    program.push_back({load, {0x100408}});
    Core counting(m), sampling(m);
    sampling.sample({{1U << CYCLES, 1'000}});
    counting.run(program);
    sampling.run(program);
    EXPECT_EQ(to_text(counting.counts()), to_text(sampling.counts()));
    EXPECT_EQ(counting.counts()[LOADS], 3U);
    EXPECT_EQ(counting.counts()[L1D_LOAD_MISSES], 1U)
        << "a load that finds its line in a fill buffer has not missed";
    EXPECT_EQ(counting.counts()[STALL_LOAD], 53 + (between < 53 ? 53 - between : 0)) << between;
  }
}

TEST(SimulatorSamplingFile, IsParsedAsDocumentedAndRefusedWithTheLine) {
  const std::string good =
      "tacho-sampling 1\nseed 7\ntells 1 0\nevent 100 0 cycles\nevent 0 4000 loads+stores\nend\n";
  sampling s{};
  EXPECT_EQ(sampling_parse(good.data(), good.size(), &s), 0U);
  EXPECT_EQ(s.events, 2U);
  EXPECT_EQ(s.event[0].period, 100U);
  EXPECT_EQ(s.event[1].frequency, 4'000U);
  EXPECT_EQ(s.event[1].columns, 1U << LOADS | 1U << STORES);
  EXPECT_EQ(s.with_branches, 1U);
  EXPECT_EQ(s.with_callers, 0U);
  EXPECT_EQ(refused("tacho-sampling 2\n", 1), "");
  EXPECT_EQ(refused("tacho-sampling 1\nseed 7\ntells 1 0\nend\n", 4), "") << "no event";
  EXPECT_EQ(refused("tacho-sampling 1\nseed 7\ntells 1 0\nevent 0 0 cycles\nend\n", 4), "");
  EXPECT_EQ(refused("tacho-sampling 1\nseed 7\ntells 1 0\nevent 1 0 cycle\nend\n", 4), "");
  EXPECT_EQ(refused("tacho-sampling 1\nseed 7\ntells 1 0\nevent 1 0 loads+\nend\n", 4), "");
  EXPECT_EQ(
      refused("tacho-sampling 1\nseed 7\ntells 1 0\nevent 1 0 loads\nevent 1 0 loads\nend\nend\n",
              6),
      "");
}

// GNU as makes these bytes from the instruction beside them.
TEST(SimulatorPrefetch, IsDecodedWithItsAddress) {
  struct Case {
    const char* what;
    std::vector<std::uint8_t> code;
    prefetch expected;
  };
  const std::vector<Case> cases = {
      {"prefetcht0 (%rax)", {0x0f, 0x18, 0x08}, {0, -1, 0, 0}},
      {"prefetcht1 8(%rdi)", {0x0f, 0x18, 0x57, 0x08}, {7, -1, 0, 8}},
      {"prefetcht2 -64(%r9)", {0x41, 0x0f, 0x18, 0x59, 0xc0}, {9, -1, 0, -64}},
      {"prefetchnta 0x1000(%rsp)", {0x0f, 0x18, 0x84, 0x24, 0, 0x10, 0, 0}, {4, -1, 0, 0x1000}},
      {"prefetchw (%rdx,%rcx,8)", {0x0f, 0x0d, 0x0c, 0xca}, {2, 1, 3, 0}},
      {"prefetcht0 (%r12,%r13,4)", {0x43, 0x0f, 0x18, 0x0c, 0xac}, {12, 13, 2, 0}},
      {"prefetcht0 0x40(,%rbx,2)", {0x0f, 0x18, 0x0c, 0x5d, 0x40, 0, 0, 0}, {-1, 3, 1, 0x40}},
      {"prefetcht0 (%r13)", {0x41, 0x0f, 0x18, 0x4d, 0x00}, {13, -1, 0, 0}},
      {"prefetcht0 0x100(%rip)",
       {0x0f, 0x18, 0x0d, 0x00, 0x01, 0, 0},
       {-1, -1, 0, 0x5000 + 7 + 0x100}},
  };
  for (const Case& each : cases) {
    prefetch found{};
    ASSERT_EQ(
        prefetch_decode(each.code.data(), static_cast<unsigned>(each.code.size()), 0x5000, &found),
        1)
        << each.what;
    EXPECT_EQ(found.base, each.expected.base) << each.what;
    EXPECT_EQ(found.index, each.expected.index) << each.what;
    EXPECT_EQ(found.shift, each.expected.shift) << each.what;
    EXPECT_EQ(found.displacement, each.expected.displacement) << each.what;
  }
  for (const std::vector<std::uint8_t>& other : {std::vector<std::uint8_t>{0x0f, 0x1f, 0x00},
                                                 {0x0f, 0x18, 0xc8},
                                                 {0x0f, 0x18, 0x20},
                                                 {0x90},
                                                 {0x0f, 0x18},
                                                 {0x48, 0x8b, 0x00}}) {
    prefetch found{};
    EXPECT_EQ(prefetch_decode(other.data(), static_cast<unsigned>(other.size()), 0x5000, &found),
              0);
  }
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE
