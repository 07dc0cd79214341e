// Tests the judgement of counts of known loops, with the kinds of wrong counts that virtual
// machines and emulated boards have shown.
#include "pmu/trust/belief.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/catalogue.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

Event event(std::string_view spec) {
  return Catalogue().resolve(spec).value();
}

const Yardstick& yardstick(std::string_view name) {
  const Yardstick* found = yardstick_of(event(name));
  if (found == nullptr) throw std::invalid_argument(std::string(name) + " has no yardstick");
  return *found;
}

// The counts of a loop and of a loop that is twice as long.
Judgement judged(std::string_view name, std::uint64_t once, std::uint64_t twice) {
  return judge(yardstick(name), {.counts = {once, twice}});
}

Belief belief(std::string_view name, std::uint64_t once, std::uint64_t twice) {
  return judged(name, once, twice).belief;
}

TEST(PmuYardstick, BelievesTheCountsOfRealCores) {
  EXPECT_EQ(belief("instructions", 40'044, 80'044), Belief::plausible);
  EXPECT_EQ(belief("cycles", 20'300, 40'300), Belief::plausible);
  EXPECT_EQ(belief("cycles", 1'600'000, 3'200'000), Belief::plausible)
      << "an emulated board: cycles are time";
  EXPECT_EQ(belief("branches", 20'012, 40'012), Belief::plausible);
  EXPECT_EQ(belief("L1-dcache-loads", 10'150, 20'150), Belief::plausible);
  EXPECT_EQ(belief("L1-dcache-loads", 20'150, 40'150), Belief::plausible)
      << "older ARM cores count stores too";
  EXPECT_EQ(belief("L1-dcache-stores", 10'150, 20'150), Belief::plausible);
  EXPECT_EQ(belief("L1-icache-loads", 1'200, 2'200), Belief::plausible);
  EXPECT_EQ(belief("bus-cycles", 120, 120), Belief::plausible) << "a slow clock";
}

TEST(PmuYardstick, AnEventThatReadsZeroIsDead) {
  for (const char* name : {"instructions", "cycles", "branches", "L1-dcache-loads",
                           "L1-dcache-stores", "L1-icache-loads", "bus-cycles", "ref-cycles"}) {
    const Judgement zero = judged(name, 0, 0);
    EXPECT_EQ(zero.belief, Belief::dead) << name;
    EXPECT_THAT(zero.reason, HasSubstr(std::string("'") + name + "' reads 0 over a loop of"));
  }
  EXPECT_EQ(judged("branches", 0, 0).reason, "'branches' reads 0 over a loop of 20000 branches");
  EXPECT_EQ(belief("branches", 20'000, 0), Belief::dead) << "one good run does not redeem it";
}

TEST(PmuYardstick, InstructionsAreExactExceptForASlack) {
  EXPECT_EQ(belief("instructions", 40'000, 80'000), Belief::plausible);
  EXPECT_EQ(belief("instructions", 39'999, 80'000), Belief::garbage);
  EXPECT_EQ(belief("instructions", 45'000, 85'000), Belief::plausible);
  EXPECT_EQ(belief("instructions", 40'000, 85'001), Belief::garbage);
}

TEST(PmuYardstick, ImpossibleCountsAreGarbage) {
  constexpr std::uint64_t kDummy = 0x7fffffff;  // the registers of an emulated ARM1176
  EXPECT_EQ(judged("instructions", kDummy, 2 * kDummy).reason,
            "'instructions' counts a loop of 40000 instructions as 2147483647");
  EXPECT_EQ(belief("cycles", kDummy, 2 * kDummy), Belief::garbage);
  EXPECT_EQ(belief("branches", kDummy, kDummy), Belief::garbage);
  EXPECT_EQ(belief("instructions", 0, kDummy), Belief::garbage) << "worse than dead";
  EXPECT_EQ(belief("cycles", 200, 200), Belief::garbage);
  EXPECT_EQ(belief("branches", 19'000, 38'000), Belief::garbage);
  EXPECT_EQ(belief("L1-dcache-loads", 40, 45), Belief::garbage);
}

TEST(PmuYardstick, CountersThatDoNotGrowAreGarbage) {
  EXPECT_EQ(judged("cycles", 50'000, 50'000).reason,
            "'cycles' does not grow with the length of a loop");
}

TEST(PmuYardstick, APmuThatCantExcludeTheKernelMayCountMore) {
  const Trial with_a_timer_tick = {.counts = {97'000, 80'900}, .ran = true, .user_only = false};
  EXPECT_EQ(judge(yardstick("instructions"), with_a_timer_tick).belief, Belief::plausible);
  const Trial garbage = {.counts = {0x7fffffff, 0x7fffffff}, .ran = true, .user_only = false};
  EXPECT_EQ(judge(yardstick("instructions"), garbage).belief, Belief::garbage);
}

TEST(PmuYardstick, ACounterThatNeverRanIsDead) {
  const Judgement never = judge(yardstick("cycles"), {.counts = {0, 0}, .ran = false});
  EXPECT_EQ(never.belief, Belief::dead);
  EXPECT_THAT(never.reason, HasSubstr("'cycles' never gets a counter"));
}

TEST(PmuYardstick, AnEventWithoutAYardstickSharesTheJudgementOfACompanion) {
  const auto first_companion = [](std::string_view name) {
    EXPECT_EQ(yardstick_of(event(name)), nullptr) << name;
    const auto companions = companions_of(event(name));
    return companions.empty() ? std::string_view() : companions.front()->name;
  };
  for (const char* name : {"branch-misses", "branch-loads", "branch-load-misses"})
    EXPECT_EQ(first_companion(name), "branches") << name;
  for (const char* name :
       {"cache-references", "cache-misses", "L1-dcache-load-misses", "L1-dcache-prefetches",
        "LLC-loads", "LLC-store-misses", "dTLB-loads", "dTLB-load-misses", "node-loads"})
    EXPECT_EQ(first_companion(name), "L1-dcache-loads") << name;
  for (const char* name : {"L1-icache-load-misses", "iTLB-loads", "iTLB-load-misses"})
    EXPECT_EQ(first_companion(name), "L1-icache-loads") << name;
  EXPECT_EQ(first_companion("stalled-cycles-frontend"), "cycles");
  EXPECT_EQ(first_companion("r01c2"), "") << "a vendor's event has none";
}

}  // namespace
}  // namespace tacho::TEST_FILE
