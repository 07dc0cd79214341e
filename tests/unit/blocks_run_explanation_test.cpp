// The explanation of a run's cycles: loads in written-down code, costs computed by hand, and the
// figures of an experiment with prefetches.
#include "blocks/run_explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "blocks/explanation_text.hpp"
#include "blocks/run_comparison.hpp"

namespace tacho::TEST_FILE {
namespace {

using ::testing::HasSubstr;
using Code = std::vector<std::string>;

TEST(CodeLoads, TheFirstOneThatIsNotOnTheStackIsFoundWithWhereItsAddressIsKnown) {
  const Code code = {"pushq %rbx",          "movq 0x8(%rsp), %rdx", "leaq (%rdi, %rcx, 8), %rax",
                     "cmpq %rax, %rsi",     "addl $1, %edi",        "movl %ecx, (%rax)",
                     "movss (%rax), %xmm0", "addq (%rdx), %rbx",    "retq"};
  const auto load = likely_miss("x86_64", code);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->at, 6U);
  EXPECT_EQ(load->known, 3U);  // after the lea
  EXPECT_EQ(load->loads, 2U);
}

TEST(CodeLoads, APartOfARegisterStandsForTheWholeRegister) {
  for (const char* makes :
       {"movl %ebx, %ecx", "movb $1, %cl", "movw %dx, %cx", "popq %rcx", "xchgq %rcx, %rdx"}) {
    const auto load = likely_miss("x86_64", Code{"nop", makes, "nop", "movq (%rcx), %rax"});
    ASSERT_TRUE(load) << makes;
    EXPECT_EQ(load->known, 2U) << makes;
  }
  EXPECT_EQ(likely_miss("x86_64", Code{"movl %eax, %r8d", "movq (%r8), %rax"})->known, 1U);
  EXPECT_EQ(likely_miss("x86_64", Code{"mulq %rbx", "nop", "movq (%rdx), %rax"})->known, 1U);
  EXPECT_EQ(likely_miss("x86_64", Code{"cmpq %rax, %rcx", "movq (%rcx), %rax"})->known, 0U);
}

TEST(CodeLoads, InstructionsThatDoNotLoadAreNotFound) {
  for (const char* text :
       {"movq %rax, (%rdi)", "leaq (%rdi), %rax", "nopl (%rax, %rax)", "prefetcht0 (%rdi)",
        "movq 8(%rbp), %rax", "movq 0x2000(%rip), %rax", "movq $5, %rax", "vmovups %ymm0, (%rdi)"})
    EXPECT_FALSE(likely_miss("x86_64", Code{text})) << text;
  for (const char* text : {"addq %rax, (%rdi)", "cmpb $0, (%rdi)", "movzbl (%rdi), %eax"})
    EXPECT_TRUE(likely_miss("x86_64", Code{text})) << text;
  EXPECT_FALSE(likely_miss("s390x", Code{"lg %r1, 0(%r2)"}));
}

TEST(CodeLoads, AreFoundInArm64Code) {
  const auto load = likely_miss(
      "aarch64", Code{"ldr x3, [sp, #16]", "add x1, x1, #8", "str x2, [x0]", "ldr w2, [x0, x1]"});
  ASSERT_TRUE(load);
  EXPECT_EQ(load->at, 3U);
  EXPECT_EQ(load->known, 2U);
}

// Which registers each instruction writes, by the architectures' manuals.
TEST(CodeLoads, ARegisterIsKnownAfterTheInstructionThatWritesIt) {
  const auto known_behind = [](std::string_view architecture, const char* text) {
    const bool arm = architecture == "aarch64";
    const auto load = likely_miss(
        architecture, Code{"nop", text, "nop", arm ? "ldr x0, [x1]" : "movq (%rcx), %rax"});
    return load && load->at == 3 && load->known == 2;
  };
  for (const char* writes :
       {"bic x1, x2, #7", "bfi x1, x2, #3, #8", "bfxil w1, w2, #0, #4", "bics x1, x2, x3",
        "str x3, [x1, #8]!", "str x3, [x1], #8", "stp x3, x4, [x1, #16]!", "stxr w1, x3, [sp]",
        "ldp x3, x1, [sp]", "ldadd x3, x1, [sp]"})
    EXPECT_TRUE(known_behind("aarch64", writes)) << writes;
  for (const char* reads :
       {"b 0x1000", "b.eq 0x1000", "bl 0x1000", "br x1", "blr x1", "cbz x1, 0x1000",
        "tbnz x1, #3, 0x1000", "cmp x1, x2", "cmn x1, #1", "tst x1, x2", "ccmp x1, x2, #0, eq",
        "ccmn x1, x2, #0, eq", "str x1, [sp, #8]", "stp x1, x2, [sp]", "stxr w3, x1, [sp]",
        "prfm pldl1keep, [x1]", "ldadd x1, x3, [sp]"})
    EXPECT_FALSE(known_behind("aarch64", reads)) << reads;
  for (const char* writes :
       {"btsq $3, %rcx", "btrl %edx, %ecx", "btcq $3, %rcx", "bsfq %rdx, %rcx"})
    EXPECT_TRUE(known_behind("x86_64", writes)) << writes;
  for (const char* reads : {"btq $3, %rcx", "btl %edx, %ecx", "bt %rdx, %rcx", "testq %rcx, %rcx"})
    EXPECT_FALSE(known_behind("x86_64", reads)) << reads;
}

// In sum += a[index[i]] the indices lie side by side, and the elements do not.
TEST(CodeLoads, OfAnIndirectAccessTheElementIsTheLikelyMissAndNotItsIndex) {
  const auto load =
      likely_miss("x86_64", Code{"movslq (%rdi), %rax", "addq $4, %rdi",
                                 "addl (%rsi, %rax, 4), %edx", "cmpq %rcx, %rdi", "jne 0x1000"});
  ASSERT_TRUE(load);
  EXPECT_EQ(load->at, 2U);
  EXPECT_EQ(load->known, 1U);
  EXPECT_EQ(load->loads, 2U);
  EXPECT_EQ(load->walking, 1U);
  const auto hashed =
      likely_miss("x86_64", Code{"movl (%rdi, %rcx, 4), %eax", "incq %rcx", "imull $77, %eax, %eax",
                                 "leaq (%rsi, %rax, 8), %r8", "nop", "movq (%r8), %rdx"});
  EXPECT_EQ(hashed->at, 5U);
  EXPECT_EQ(hashed->known, 4U);
  for (const char* index : {"ldrsw x3, [x0], #4", "ldrsw x3, [x0, #4]!"}) {
    const auto arm = likely_miss(
        "aarch64", Code{index, "ldr w2, [x1, x3, lsl #2]", "add w5, w5, w2", "cmp x0, x4"});
    EXPECT_EQ(arm->at, 1U) << index;
    EXPECT_EQ(arm->known, 1U) << index;
  }
}

// The inner loop of examples/naive: one matrix is read along a row, the other down a column.
TEST(CodeLoads, OfARowAndAColumnTheColumnIsTheLikelyMiss) {
  const Code code = {"movss (%rax), %xmm0", "mulss (%rdx), %xmm0", "addq $4, %rax",
                     "addq %rcx, %rdx",     "addss %xmm0, %xmm1",  "cmpq %rax, %rsi"};
  EXPECT_EQ(likely_miss("x86_64", code)->at, 1U);
}

TEST(CodeLoads, ALoadThatDoesNotWalkOrThatIsAloneIsTheLikelyMiss) {
  for (const Code& code : {Code{"movq (%rdi, %rsi), %rax", "movq (%rdi, %rax), %rdx"},
                           Code{"movq (%rdi), %rdi", "movq 8(%rdi), %rax"},
                           Code{"movq (%rdi), %rax", "addq $4096, %rdi", "movq (%rsi), %rdx"},
                           Code{"movq (%rdi), %rax", "leaq 8(%rdi), %rdi"}}) {
    const auto load = likely_miss("x86_64", code);
    EXPECT_EQ(load->at, 0U) << code[0] << code[1];
    EXPECT_EQ(load->walking, 0U);
  }
}

TEST(CoreFacts, BelongToTheCoreThatTheRecordingNames) {
  EXPECT_EQ(core_facts("GenuineIntel,6,85,4", "", "x86_64")->llvm, "skylake-avx512");
  EXPECT_EQ(core_facts("GenuineIntel,6,78,3", "", "x86_64")->width, 4);
  EXPECT_FALSE(core_facts("GenuineIntel,6,78,3", "", "x86_64")->simulated);
  EXPECT_TRUE(core_facts("", "simulated skylake (model of tacho)", "x86_64")->simulated);
  for (const char* unknown : {"", "GenuineIntel,6", "GenuineIntel,6,999,1", "AuthenticAMD,6,85,4",
                              "GenuineIntel,15,85,4", "0x00000000410fd4f0"})
    EXPECT_FALSE(core_facts(unknown, "", "x86_64")) << unknown;
  EXPECT_FALSE(
      core_facts("GenuineIntel,6,78,3", "simulated cortex-a72 (model of tacho)", "x86_64"));
  EXPECT_FALSE(core_facts("GenuineIntel,6,78,3", "", "aarch64"));
  EXPECT_EQ(core_facts("GenuineIntel,6,151,2", "", "x86_64", "cpu_core/cycles/P")->width, 6);
  EXPECT_FALSE(core_facts("GenuineIntel,6,151,2", "", "x86_64", "cpu_atom/cycles/P"));
}

TEST(StaticCost, TheInputHasTheRunAndThePartBeforeTheLoad) {
  EXPECT_EQ(
      mca_input(Code{"a", "b", "c", "callq 0x10"}, 1, 2),
      "# LLVM-MCA-BEGIN run\na\n# LLVM-MCA-BEGIN before\nb\n# LLVM-MCA-END before\nc\njmp 0x10\n"
      "# LLVM-MCA-END run\n");
  EXPECT_THAT(mca_input(Code{"callq 0x10", "retq"}, 0, 0), HasSubstr("run\ncallq 0x10\nretq\n#"));
}

// Shortened output of llvm-mca 19 and 14.
constexpr std::string_view kAnswer =
    "\n[0] Code Region - run\n\nIterations:        100\nInstructions:      13200\nTotal Cycles:    "
    "  "
    "3410\n\n[1] Code Region - before\n\nTotal Cycles:      3203\nBlock RThroughput: 32.0\n";

TEST(StaticCost, TheCyclesOfBothAreRead) {
  const auto cost = parse_mca(kAnswer);
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->run, 34.1);
  EXPECT_DOUBLE_EQ(cost->before.value_or(0), 32.03);
  EXPECT_FALSE(parse_mca(kAnswer.substr(0, 95))->before);
}

TEST(StaticCost, OutputOfAnotherFormGivesNone) {
  for (const char* answer : {"", "Total Cycles: 12\n", "[0] Code Region - run\nTotal Cycles:\n",
                             "[0] Code Region - run\nTotal Cycles: 0\n",
                             "[0] Code Region - run\nTotal Cycles: 99999999999999999999999\n"})
    EXPECT_FALSE(parse_mca(answer)) << answer;
}

// A run of `work` NOPs, a load and a return, with these cycles. Each execution is in a stack of its
// own.
struct MadeUp {
  Blocks blocks;
  RunListing listing;
  MadeUp(int work, const std::vector<Histogram::Bin>& cycles) {
    std::uint32_t stacks = 0;
    blocks.architecture = "x86_64";
    blocks.modules.push_back({"program", "/program", "ab", true});
    CodeRun& run = blocks.runs.emplace_back();
    run.start = 0x1000;
    run.end = 0x2000;
    run.function = "foo";
    for (const auto& [value, count] : cycles) {
      run.cycles.add(value, count);
      run.count += count;
      run.cycle_sum += value * count;
      for (std::uint64_t i = 0; i < count; ++i)
        run.kept.push_back({0, static_cast<std::uint16_t>(value)});
    }
    // In time, the executions of one value do not follow each other.
    std::mt19937 order(7);
    std::ranges::shuffle(run.kept, order);
    for (KeptExecution& each : run.kept) each.stack = stacks++;
    const auto add = [&](const char* text) {
      listing.instructions.emplace_back();
      listing.instructions.back().text = text;
    };
    for (int i = 0; i < work; ++i) add("nop");
    add("movq (%rdi), %rax");
    add("retq");
    run.instructions = static_cast<std::uint32_t>(listing.instructions.size());
  }
  std::optional<RunExplanation> explained(const std::optional<CoreFacts>& core,
                                          const std::optional<StaticCost>& cost = {}) const {
    return explain_run(blocks, 0, &listing, core, cost);
  }
};

const std::optional<CoreFacts> kSkylake = core_facts("GenuineIntel,6,78,3", "", "x86_64");

TEST(RunExplanation, TheWindowIsTheWorkBeforeTheLoad) {
  const MadeUp it(126, {{80, 1000}, {282, 9000}});
  const auto why = it.explained(kSkylake);
  ASSERT_TRUE(why && why->window);
  EXPECT_EQ(why->floor.basis, CostBasis::width);
  EXPECT_DOUBLE_EQ(why->floor.cycles, 32);
  ASSERT_EQ(why->slow.size(), 2U);
  EXPECT_DOUBLE_EQ(why->slow[0].extra, 48);
  EXPECT_DOUBLE_EQ(why->slow[1].extra, 250);
  EXPECT_EQ(why->window->instructions, 126U);
  EXPECT_DOUBLE_EQ(why->window->cost.cycles, 31.5);
  EXPECT_DOUBLE_EQ(why->window->hidden, 31.5);
  EXPECT_DOUBLE_EQ(why->window->extra, 250);
  // 31.5 cycles of each execution.
  EXPECT_DOUBLE_EQ(why->window->saving, 31.5 * 10000 / (80.0 * 1000 + 282.0 * 9000));
  EXPECT_DOUBLE_EQ(why->window->ahead, 7);  // 218.5 cycles in rounds of 32
}

// The saving is an upper bound, but its share of the cycles depends on which executions were seen.
// Here the probabilities of the executions are known, so it is known whether the interval covers
// the truth.
TEST(RunExplanation, TheIntervalOfTheSavingCoversTheSavingOfAllExecutions) {
  std::mt19937_64 random(20261123);
  int held = 0;
  double widest = 0;
  constexpr int kRecordings = 400;
  for (int recording = 0; recording < kRecordings; ++recording) {
    // A hit takes 33 cycles and does not wait. Of 82 and of 282 cycles, 31.5 can be hidden.
    std::vector<Histogram::Bin> seen{{33, 0}, {82, 0}, {282, 0}};
    std::discrete_distribution<int> mode({0.3, 0.2, 0.5});
    for (int i = 0; i < 1500; ++i) ++seen[static_cast<std::size_t>(mode(random))].count;
    const auto why = MadeUp(126, seen).explained(kSkylake);
    ASSERT_TRUE(why && why->window);
    const double truth = 31.5 * 0.7 / (0.3 * 33 + 0.2 * 82 + 0.5 * 282);
    const ShareInterval& ci95 = why->window->saving95;
    held += ci95.low <= truth && truth <= ci95.high;
    widest = std::max(widest, ci95.high - ci95.low);
  }
  EXPECT_GE(held, 0.93 * kRecordings);
  EXPECT_LE(held, 0.985 * kRecordings);
  EXPECT_LT(widest, 0.01);
}

TEST(RunExplanation, AnAnalysisComesBeforeTheWidthUnlessItIsFasterThanTheWidthAllows) {
  const MadeUp it(126, {{282, 9000}});
  EXPECT_DOUBLE_EQ(it.explained(kSkylake, StaticCost{40, 35})->floor.cycles, 40);
  EXPECT_DOUBLE_EQ(it.explained(kSkylake, StaticCost{40, 35})->window->cost.cycles, 35);
  EXPECT_DOUBLE_EQ(it.explained(kSkylake, StaticCost{20, 15})->floor.cycles, 32);
  EXPECT_DOUBLE_EQ(it.explained(kSkylake, StaticCost{20, 15})->window->cost.cycles, 31.5);
}

TEST(RunExplanation, TheFastestExecutionsAreTheFloorIfTheCoreIsUnknown) {
  const MadeUp it(98, {{40, 1000}, {282, 9000}});
  const auto why = it.explained(std::nullopt);
  ASSERT_TRUE(why && why->window);
  EXPECT_EQ(why->floor.basis, CostBasis::observed);
  EXPECT_DOUBLE_EQ(why->floor.cycles, 40);
  EXPECT_EQ(why->slow.size(), 1U);
  EXPECT_DOUBLE_EQ(why->window->cost.cycles, 40 * 98 / 100.0);
}

// Of a kind that 2 % of executions belong to, 188 executions show one with 95 % confidence
// (Wilson's interval of none in n ends at z² / (n + z²)).
TEST(RunExplanation, FewExecutionsGetNoAdvice) {
  const auto few = MadeUp(126, {{282, 24}}).explained(kSkylake);
  ASSERT_TRUE(few);
  EXPECT_FALSE(few->slow.empty());
  EXPECT_FALSE(few->window);
  const std::string text = explanation_text(*few, {});
  EXPECT_THAT(text, HasSubstr("too few of these executions"));
  EXPECT_THAT(text, testing::Not(HasSubstr("prefetch")));
  EXPECT_FALSE(MadeUp(126, {{282, 187}}).explained(kSkylake)->window);
  EXPECT_TRUE(MadeUp(126, {{282, 190}}).explained(kSkylake)->window);
}

TEST(RunExplanation, ThereIsNoWindowIfNothingIsSlow) {
  const auto why = MadeUp(126, {{32, 5000}, {33, 4000}}).explained(kSkylake);
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->slow.empty());
  EXPECT_FALSE(why->window);
  EXPECT_FALSE(MadeUp(126, {}).explained(kSkylake));  // no cycles, nothing to explain
}

// The first run of one recording of each program. None if it cannot be compared.
std::optional<RunComparison> compare_first(const MadeUp& before, const MadeUp& after) {
  constexpr std::array<std::size_t, 1> kFirst{0};
  BranchRecording old, now;
  old.blocks = before.blocks;
  now.blocks = after.blocks;
  RunSide olds, news;
  olds.add("before", old, before.blocks, kFirst);
  news.add("after", now, before.blocks, kFirst);
  const ComparedRuns compared = compare_runs(olds, news);
  EXPECT_EQ(compared.evidence, Evidence::too_few);
  if (compared.runs.empty()) return std::nullopt;
  return compared.runs.front();
}

TEST(RunComparison, SaysHowFarEachModeMoved) {
  const MadeUp before(126, {{80, 1000}, {300, 9000}});
  const MadeUp after(126, {{32, 3000}, {48, 1000}, {268, 6000}});
  ASSERT_EQ(same_run(before.blocks, 0, after.blocks), 0U);
  const auto it = compare_first(before, after);
  ASSERT_TRUE(it);
  EXPECT_DOUBLE_EQ(it->median_moved.value, -32);
  EXPECT_DOUBLE_EQ(it->mean_moved.value, (96.0 + 48 * 1 + 268 * 6) / 10 - (80 + 300 * 9) / 10.0);
  ASSERT_EQ(it->modes.size(), 3U);
  EXPECT_FALSE(it->modes[0].before);
  EXPECT_NEAR(it->modes[0].share.value, 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(it->modes[1].moved->value, -32);
  EXPECT_DOUBLE_EQ(it->modes[2].moved->value, -32);
  EXPECT_NEAR(it->modes[2].share.value, -0.3, 1e-12);
  EXPECT_LT(it->modes[2].share.high, -0.28);
  EXPECT_GT(it->modes[2].share.low, -0.32);
}

TEST(RunComparison, FewEqualExecutionsHaveNoInterval) {
  for (const std::uint64_t few : {1U, 2U, 3U, 5U}) {
    const MadeUp before(10, {{80, few}});
    const MadeUp after(10, {{40, few}});
    const auto it = compare_first(before, after);
    ASSERT_TRUE(it);
    for (const Estimated& moved : {it->mean_moved, it->median_moved}) {
      EXPECT_EQ(moved.value, -40);
      EXPECT_FALSE(std::isfinite(moved.low)) << few;
      EXPECT_FALSE(std::isfinite(moved.high)) << few;
    }
  }
  // Cycles are counted whole, so a mean is not known more exactly than to half a cycle.
  const MadeUp before(10, {{80, 100}});
  const MadeUp after(10, {{40, 100}});
  const auto it = compare_first(before, after);
  EXPECT_GE(it->mean_moved.high, -39.5);
  EXPECT_LE(it->mean_moved.high, -39);
}

TEST(RunComparison, TheLargeModeIsPairedWithTheLargeModeThatMoved) {
  const MadeUp before(126, {{71, 300}, {256, 300}, {273, 9400}});
  const MadeUp after(126, {{38, 300}, {240, 8600}, {454, 1100}});
  const auto it = compare_first(before, after);
  ASSERT_EQ(it->modes.size(), 4U);
  EXPECT_DOUBLE_EQ(it->modes[0].moved->value, -33);
  EXPECT_FALSE(it->modes[1].after);
  EXPECT_DOUBLE_EQ(it->modes[2].moved->value, -33);
  EXPECT_FALSE(it->modes[3].before);
}

TEST(RunComparison, InAnotherBuildTheSameOffsetInTheFunctionIsTheSameRun) {
  const MadeUp before(10, {{80, 10}});
  MadeUp after(10, {{80, 10}});
  after.blocks.modules[0].build_id = "cd";
  after.blocks.runs[0].start += 0x500;
  after.blocks.runs[0].end += 0x500;
  EXPECT_EQ(same_run(before.blocks, 0, after.blocks), 0U);
  after.blocks.runs[0].function = "bar";
  EXPECT_FALSE(same_run(before.blocks, 0, after.blocks));
}

// R. G. Newcombe, Statistics in Medicine 17 (1998), 873, table II, method 10: 56/70 - 48/80.
TEST(Difference, OfTwoSharesIsAsPublished) {
  const auto share = [](double successes, double of) {
    const ShareInterval interval = wilson95(successes / of, of);
    return Estimated{successes / of, interval.low, interval.high};
  };
  const Estimated difference = difference95(share(48, 80), share(56, 70));
  EXPECT_NEAR(difference.value, 0.2, 1e-12);
  EXPECT_NEAR(difference.low, 0.0524, 0.00006);
  EXPECT_NEAR(difference.high, 0.3339, 0.00006);
}

}  // namespace
}  // namespace tacho::TEST_FILE
