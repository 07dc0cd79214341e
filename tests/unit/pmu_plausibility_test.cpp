// Counters that can't be believed: the kinds of nonsense that virtual machines and emulated boards
// have given.
#include "pmu/plausibility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmu/targets.hpp"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LoopCounts good() {
  return {.known_short = 100'000,
          .known_long = 200'000,
          .instructions_short = 100'090,
          .instructions_long = 200'090,
          .cycles_short = 50'300,
          .cycles_long = 100'300};
}

TEST(PmuPlausibility, BelievesWhatARealCoreCounts) {
  EXPECT_EQ(implausibility(good()), "");
  LoopCounts slow = good();  // an emulated board: cycles are time
  slow.cycles_short = 4'000'000;
  slow.cycles_long = 8'000'000;
  EXPECT_EQ(implausibility(slow), "");
}

TEST(PmuPlausibility, RefusesZeros) {
  LoopCounts counts = good();
  counts.instructions_short = counts.instructions_long = 0;
  EXPECT_THAT(implausibility(counts), HasSubstr("'instructions' reads zero"));
  counts = good();
  counts.cycles_short = counts.cycles_long = 0;
  EXPECT_THAT(implausibility(counts), HasSubstr("'cycles' reads zero"));
}

TEST(PmuPlausibility, RefusesCountersThatStandStill) {
  LoopCounts counts = good();
  counts.cycles_long = counts.cycles_short;
  EXPECT_THAT(implausibility(counts), HasSubstr("does not grow"));
}

TEST(PmuPlausibility, RefusesTheImpossible) {
  LoopCounts counts = good();
  counts.instructions_short = 0x7fffffff;  // the dummy registers of an emulated ARM1176
  EXPECT_THAT(implausibility(counts), HasSubstr("counted as 2147483647"));
  counts = good();
  counts.instructions_short = 99'999;
  EXPECT_THAT(implausibility(counts), HasSubstr("counted as 99999"));
  counts = good();
  counts.cycles_long = 200;
  EXPECT_THAT(implausibility(counts), HasSubstr("200 cycles"));
}

TEST(PmuPlausibility, RefusesCountersThatNeverRan) {
  LoopCounts counts = good();
  counts.ran = false;
  EXPECT_THAT(implausibility(counts), HasSubstr("never got the PMU"));
}

TEST(PmuTargets, ReadsTheKernelsCpuLists) {
  EXPECT_THAT(parse_cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  for (const char* nonsense : {"", "a", "3-1", "1-", "-1", "0,,1", "0-99999999999", "0-70000"})
    EXPECT_THAT(parse_cpu_list(nonsense), IsEmpty()) << nonsense;
}

}  // namespace
}  // namespace tacho
