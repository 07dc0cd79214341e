// Runs and branches of made-up stacks: the stacks say what must be found.
#include <gtest/gtest.h>

#include <algorithm>

#include "blocks_made_up_stacks.hpp"
#include "perfdata_builder.hpp"

namespace tacho::TEST_FILE {
namespace {

std::vector<Histogram::Bin> bins(const Histogram& histogram) {
  return {histogram.bins().begin(), histogram.bins().end()};
}

TEST(RunsFromStacks, ReachFromTheTargetOfABranchToTheNextBranch) {
  MadeUpStacks made;
  made.stack(1, {taken(0x1020, 0x1000, 7), missed(0x1020, 0x1008, 9), taken(0x1040, 0x1010, 5)});
  const Blocks blocks = made.blocks();
  ASSERT_EQ(blocks.runs.size(), 2U);
  EXPECT_EQ(blocks.samples, 1U);
  EXPECT_EQ(blocks.entries, 3U);
  const CodeRun& hottest = blocks.runs[0];
  EXPECT_EQ(hottest.start, 0x1010U);  // its 9 cycles are in the entry that ends it
  EXPECT_EQ(hottest.end, 0x1020U);
  EXPECT_EQ(hottest.count, 1U);
  EXPECT_EQ(hottest.mispredicted, 1U);
  EXPECT_EQ(bins(hottest.cycles), bins(histogram_of({9})));
  EXPECT_EQ(blocks.runs[1].start, 0x1008U);
  EXPECT_EQ(blocks.runs[1].mispredicted, 0U);
  EXPECT_EQ(bins(blocks.runs[1].cycles), bins(histogram_of({7})));
}

TEST(RunsFromStacks, HaveTheWholeDistributionOfTheirCycles) {
  MadeUpStacks made;
  std::vector<std::uint64_t> values;
  for (std::uint16_t i = 0; i < 400; ++i) {
    const auto cycles = static_cast<std::uint16_t>(1 + i * 7919 % 65535);
    values.insert(values.end(), {cycles, cycles});
    for (int twice = 0; twice < 2; ++twice)
      made.stack(1, {taken(0x1020, 0x3000, cycles), taken(0x2000, 0x1000, 1)});
  }
  const Blocks blocks = made.blocks();
  ASSERT_EQ(blocks.runs.size(), 1U);
  EXPECT_EQ(bins(blocks.runs[0].cycles), bins(histogram_of(values)));
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  EXPECT_EQ(blocks.runs[0].cycle_sum, sum);
}

TEST(RunsFromStacks, LeaveOutSkippedEntriesAndBranchesKeepThem) {
  MadeUpStacks made;
  made.map(1, 0x10000, 0x1000, "/bin/a");
  made.map(1, 0x20000, 0x1000, "/lib/b");
  made.stack(1, {});
  made.stack(1,
             {taken(0x10020, 0x10000, 3), taken(0x10020, 0x10000, 4), taken(0x10030, 0x10010, 5)});
  made.stack(1, {taken(0x10040, 0x10000, 0), taken(0x10008, 0x10030, 6)});  // without cycles
  made.stack(1, {taken(0x10040, 0x10000, 6), taken(0x10008, 0x10050, 6)});  // backwards
  made.stack(1, {taken(0x20040, 0x10000, 6), taken(0x10008, 0x10050, 6)});  // into another file
  made.stack(1, {taken(0x10040, 0x10000, 6), taken(0, 0, 1)});              // from nowhere
  const Blocks blocks = made.blocks();
  EXPECT_EQ(blocks.skipped.empty, 1U);
  EXPECT_EQ(blocks.skipped.doubled, 1U);
  EXPECT_EQ(blocks.skipped.no_cycles, 1U);
  EXPECT_EQ(blocks.skipped.impossible, 3U);
  ASSERT_EQ(blocks.runs.size(), 1U);  // it ends at the older one of the doubled entries
  EXPECT_EQ(blocks.runs[0].recorded_start, 0x10010U);
  EXPECT_EQ(bins(blocks.runs[0].cycles), bins(histogram_of({4})));
  const std::vector<BranchEdge> branches = branches_of(made.stacks);
  const auto doubled = std::ranges::find(branches, 0x10020U, &BranchEdge::from);
  ASSERT_NE(doubled, branches.end());
  EXPECT_EQ(doubled->count, 2U);
  EXPECT_EQ(bins(doubled->cycles), bins(histogram_of({3, 4})));
  std::uint64_t entries = 0;
  for (const BranchEdge& each : branches) entries += each.count;
  EXPECT_EQ(entries, blocks.entries);
}

TEST(RunsFromStacks, LeaveOutOnlyTheNewestOfEqualEntriesOfALoop) {
  MadeUpStacks made;
  made.stack(1, {taken(0x1020, 0x1000, 3), taken(0x1020, 0x1000, 3), taken(0x1020, 0x1000, 3),
                 taken(0x1020, 0x1000, 3)});
  const Blocks blocks = made.blocks();
  EXPECT_EQ(blocks.skipped.doubled, 1U);
  ASSERT_EQ(blocks.runs.size(), 1U);
  EXPECT_EQ(blocks.runs[0].count, 2U);
}

TEST(RunsFromStacks, AreTheSameForAllProcessesThatMapTheFile) {
  MadeUpStacks made;
  made.map(1, 0x555500001000, 0x1000, "/bin/pie", 0x1000);
  made.map(2, 0x7f0000401000, 0x1000, "/bin/pie", 0x1000);
  made.fork(2, 3);
  made.stack(1, {taken(0x555500001020, 0, 7), taken(0, 0x555500001000, 1)});
  made.stack(2, {taken(0x7f0000401020, 0, 8), taken(0, 0x7f0000401000, 1)});
  made.stack(3, {taken(0x7f0000401020, 0, 9), taken(0, 0x7f0000401000, 1)});
  const Blocks blocks = made.blocks();
  ASSERT_EQ(blocks.runs.size(), 1U);
  EXPECT_EQ(bins(blocks.runs[0].cycles), bins(histogram_of({7, 8, 9})));
  EXPECT_EQ(blocks.modules[blocks.runs[0].module].name, "pie");
  EXPECT_EQ(branches_of(made.stacks).size(), 4U);  // as recorded
}

TEST(RunsFromStacks, BelongToTheFileThatIsMappedAtThatTime) {
  MadeUpStacks made;
  const auto run = [&](std::uint16_t cycles) {
    made.stack(1, {taken(0x7f0000001020, 0x9000, cycles), taken(0x9000, 0x7f0000001000, 1)});
  };
  made.map(1, 0x7f0000000000, 0x4000, "/lib/first");
  run(5);
  made.map(1, 0x7f0000000000, 0x4000, "/lib/second");  // dlclose, dlopen
  run(6);
  made.exec(1);
  run(7);
  made.map(1, 0x7f0000000000, 0x4000, "/lib/third");
  run(8);
  const Blocks blocks = made.blocks();
  std::vector<std::pair<std::string, std::uint64_t>> found;
  for (const CodeRun& each : blocks.runs) {
    if (each.recorded_start != 0x7f0000001000) continue;
    found.emplace_back(blocks.modules[each.module].name, each.cycle_sum);
  }
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, std::uint64_t>>{
                       {"[unknown]", 7}, {"first", 5}, {"second", 6}, {"third", 8}}));
}

TEST(RunsFromStacks, OfAProcessDoNotBelongToAKernelThatIsMappedFromZero) {
  MadeUpStacks made;
  made.map(-1, 0, 0xffffffff9fffffff, "[kernel.kallsyms]_text", 0xffffffff81000000);
  made.map(1, 0x400000, 0x1000, "/bin/a");
  made.stack(1, {taken(0x400020, 0xffffffff81000000, 5), taken(0xffffffff81000040, 0x400000, 6),
                 taken(0x400050, 0xffffffff81000020, 7)});
  const Blocks blocks = made.blocks();
  ASSERT_EQ(blocks.runs.size(), 2U);
  EXPECT_EQ(blocks.modules[blocks.runs[0].module].name, "[kernel.kallsyms]");
  EXPECT_EQ(blocks.runs[0].start, 0xffffffff81000020U);
  EXPECT_EQ(blocks.modules[blocks.runs[1].module].name, "a");
}

TEST(RunsFromStacks, HaveExecutionsIfNoEntryHasCycles) {
  MadeUpStacks made;
  made.stack(1, {taken(0x1020, 0x1000, 0), missed(0x1020, 0x1000, 0), taken(0x1020, 0x1000, 0)});
  const Blocks blocks = made.blocks();
  EXPECT_FALSE(blocks.has_cycles);
  ASSERT_EQ(blocks.runs.size(), 1U);
  EXPECT_EQ(blocks.runs[0].count, 1U);
  EXPECT_EQ(blocks.runs[0].mispredicted, 1U);
  EXPECT_TRUE(blocks.runs[0].cycles.empty());
  EXPECT_EQ(blocks.runs[0].ipc(), std::nullopt);
}

TEST(RunsFromStacks, ContinueAcrossABranchOnAWrongPath) {
  MadeUpStacks made;
  perfdata::Branch wrong = taken(0x1010, 0x5000, 3);
  wrong.speculation = 1;  // PERF_BR_SPEC_WRONG_PATH
  made.stack(1, {taken(0x1020, 0x3000, 8), wrong, taken(0x2000, 0x1000, 1)});
  const Blocks blocks = made.blocks();
  EXPECT_EQ(blocks.skipped.wrong_path, 1U);
  ASSERT_EQ(blocks.runs.size(), 1U);
  EXPECT_EQ(blocks.runs[0].start, 0x1000U);
  EXPECT_EQ(blocks.runs[0].end, 0x1020U);
  EXPECT_EQ(blocks.entries, 3U);
}

TEST(RunsFromStacks, AreUnknownIfSomeKindsOfBranchesWereNotRecorded) {
  MadeUpStacks calls(1U << 4);  // PERF_SAMPLE_BRANCH_ANY_CALL
  calls.stack(1, {taken(0x1020, 0x3000, 8), taken(0x2000, 0x1000, 1)});
  const Blocks blocks = calls.blocks();
  EXPECT_FALSE(blocks.every_branch);
  EXPECT_TRUE(blocks.runs.empty());
  EXPECT_EQ(branches_of(calls.stacks).size(), 2U);
}

TEST(RunsFromStacks, AreMadeFromTheStacksOfOneEvent) {
  MadeUpStacks made;
  made.description.events.push_back(made.description.events[0]);
  made.description.events[0].name = "branch-misses";
  made.stack(1, {taken(0x1020, 0x3000, 8), taken(0x2000, 0x1000, 1)}, 1);
  made.stack(1, {taken(0x1020, 0x3000, 20), taken(0x2000, 0x1000, 1)}, 0);
  const Blocks blocks = made.blocks();
  EXPECT_EQ(blocks.event, "cycles");
  EXPECT_EQ(blocks.samples, 1U);
  ASSERT_EQ(blocks.runs.size(), 1U);
  EXPECT_EQ(bins(blocks.runs[0].cycles), bins(histogram_of({8})));
  EXPECT_EQ(made.stacks.left_out(), (std::vector<std::uint64_t>{1, 0}));
}

TEST(RunsFromStacks, NeedBranchStacks) {
  MadeUpStacks made;
  made.description.events[0].sample_type = 0;
  made.stack(1, {});
  Resolver resolver(made.stacks.modules(), made.description, {});
  const auto blocks = blocks_of(made.stacks, made.description, resolver);
  ASSERT_FALSE(blocks);
  EXPECT_EQ(blocks.error().what, "no sample has a branch stack, of 1 in the recording");
}

TEST(RunsFromStacks, CountAllStacksAndKeepALimitedNumber) {
  MadeUpStacks made;
  for (std::uint64_t i = 0; i < 20000; ++i)
    made.stack(1, {taken(0x1020 + i % 500, 0x900, 8), taken(0x800, 0x1000, 1)});
  const Blocks blocks = made.blocks();
  EXPECT_EQ(blocks.runs.size(), 500U);
  EXPECT_TRUE(std::ranges::all_of(blocks.runs, [](const CodeRun& run) { return run.count == 40; }));
  EXPECT_EQ(blocks.stacks_kept, BranchCounts::kMostKeptStacks);
}

// The flags of a branch are in a bit-field, whose layout depends on the byte order.
TEST(RunsFromStacks, AreTheSameInRecordingsOfBothByteOrders) {
  using perf_format::Order;
  for (const Order order : {Order::little, Order::big}) {
    perf_format::Packed sample(order);
    sample.u64(0x1000).u32(7).u32(7).u64(2);  // ip, pid, tid, entries
    const auto entry = [&](std::uint64_t from, std::uint64_t to, std::uint64_t missed,
                           std::uint64_t cycles) {
      sample.u64(from).u64(to).bit_field(
          {{missed, 1}, {1 - missed, 1}, {0, 1}, {0, 1}, {cycles, 16}});
    };
    entry(0x1020, 0x3000, 1, 266);
    entry(0x2000, 0x1000, 0, 5);
    const perf_format::Attr attr{.sample_type = 1 | 2 | 2048, .branch_sample_type = 8};
    const perf_format::OnDisk disk(
        perf_format::file(order, {attr}, perf_format::record(order, 9, 2, sample.str())));
    const auto reader = perfdata::Reader::open(disk.path());
    ASSERT_TRUE(reader);
    BranchStacks stacks;
    for (auto next = (*reader)->next(); next && *next != nullptr; next = (*reader)->next())
      stacks.add(**next, (*reader)->description());
    stacks.finish((*reader)->description());
    Resolver resolver(stacks.modules(), (*reader)->description(), {});
    const auto blocks = blocks_of(stacks, (*reader)->description(), resolver);
    ASSERT_TRUE(blocks);
    ASSERT_EQ(blocks->runs.size(), 1U);
    EXPECT_EQ(blocks->runs[0].start, 0x1000U);
    EXPECT_EQ(blocks->runs[0].end, 0x1020U);
    EXPECT_EQ(blocks->runs[0].mispredicted, 1U);
    EXPECT_EQ(bins(blocks->runs[0].cycles), bins(histogram_of({266})));
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
