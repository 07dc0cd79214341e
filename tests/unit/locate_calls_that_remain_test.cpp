// Call chains from the calls that a processor kept. The program is start -> outer -> inner.
#include "locate/calls_that_remain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using perfdata::Branch;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kKernel = ~std::uint64_t{0} - 127;  // PERF_CONTEXT_KERNEL
constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;    // PERF_CONTEXT_USER
constexpr std::uint64_t kInner = 0x1000, kOuter = 0x2000, kStart = 0x3000;
constexpr std::uint64_t kGarbage = 0x358b2300358b23;

class RemainingCallsTest : public testing::Test {
 protected:
  RemainingCalls calls(std::uint64_t ip, const std::vector<std::uint64_t>& chain,
                       std::size_t deepest = 2, perfdata::Mode mode = perfdata::Mode::user) {
    perfdata::Sample sample;
    sample.ip = ip;
    sample.mode = mode;
    sample.chain = chain;
    sample.branches = branches_;
    return remaining_calls(sample, deepest);
  }
  static Branch call(std::uint64_t from, std::uint64_t to) {
    Branch branch;
    branch.from = from;
    branch.to = to;
    return branch;
  }
  std::vector<Branch> branches_{call(kOuter + 4, kInner), call(kStart + 4, kOuter)};
};

TEST_F(RemainingCallsTest, ReplaceWhatFramePointersFound) {
  const RemainingCalls found = calls(kInner + 8, {kUser, kInner + 8, kGarbage});
  EXPECT_THAT(found.chain, ElementsAre(kUser, kInner + 8, kOuter + 5, kStart + 5));
  EXPECT_FALSE(found.cut);
}

TEST_F(RemainingCallsTest, FollowTheKernelsPart) {
  const RemainingCalls found =
      calls(0xffffffff81000010, {kKernel, 0xffffffff81000010, kUser, kInner + 2, kGarbage}, 2,
            perfdata::Mode::kernel);
  EXPECT_THAT(found.chain,
              ElementsAre(kKernel, 0xffffffff81000010, kUser, kInner + 2, kOuter + 5, kStart + 5));
}

TEST_F(RemainingCallsTest, LeaveAChainWithoutUserModeAlone) {
  EXPECT_THAT(
      calls(0xffffffff81000010, {kKernel, 0xffffffff81000010}, 2, perfdata::Mode::kernel).chain,
      IsEmpty());
  branches_.clear();
  EXPECT_THAT(calls(kInner, {kUser, kInner, kOuter}).chain, IsEmpty());
}

TEST_F(RemainingCallsTest, FramePointersGoOnWhereTheyHaveTheLastCall) {
  // The call in start returns to start + 9. What is further out has no entry any more.
  const RemainingCalls found = calls(kInner, {kUser, kInner, kStart + 9, 0x4444, 0x5555});
  EXPECT_THAT(found.chain, ElementsAre(kUser, kInner, kOuter + 5, kStart + 5, 0x4444, 0x5555));
  EXPECT_FALSE(found.cut);
}

TEST_F(RemainingCallsTest, AFullStackIsCut) {
  for (const std::size_t full : {16U, 32U}) {
    branches_.assign(full, call(kOuter + 4, kInner));
    EXPECT_TRUE(calls(kInner, {kUser, kInner, kGarbage}, full).cut) << full;
    EXPECT_FALSE(calls(kInner, {kUser, kInner, kOuter + 8, 0x4444}, full).cut) << "they go on";
  }
  branches_.assign(16, call(kOuter + 4, kInner));
  EXPECT_FALSE(calls(kInner, {kUser, kInner, kGarbage}, 32).cut) << "this core keeps more calls";
}

TEST_F(RemainingCallsTest, ARecursionGoesOnAtItsDepth) {
  branches_.assign(16, call(kInner + 4, kInner));
  std::vector<std::uint64_t> pointers{kUser, kInner};
  pointers.insert(pointers.end(), 20, kInner + 9);
  pointers.push_back(kStart + 9);
  const RemainingCalls found = calls(kInner, pointers, 16);
  EXPECT_EQ(found.chain.size(), 23U) << "the mark, 21 times inner, and start";
  EXPECT_FALSE(found.cut);
}

TEST_F(RemainingCallsTest, EmptyEntriesEndTheStack) {
  branches_.push_back(call(0, 0));
  branches_.push_back(call(kGarbage, kGarbage));
  EXPECT_THAT(calls(kInner, {kUser, kInner}).chain,
              ElementsAre(kUser, kInner, kOuter + 5, kStart + 5));
}

}  // namespace
}  // namespace tacho::TEST_FILE
