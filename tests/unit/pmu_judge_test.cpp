// Tests which events are believed, on machines that are tables of counts.
#include "pmu/trust/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "doctor/examine_core.hpp"
#include "events/catalogue.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

using Counts = std::array<std::uint64_t, 2>;
constexpr Counts kZero = {0, 0};
constexpr Counts kGarbage = {0x7fffffff, 2 * 0x7fffffffULL};

// A machine: the counts of its events over their loops, in the order of the trials. The last
// repeats. Other events give ENOENT.
struct Machine {
  std::map<std::string, std::vector<Counts>> events = {{"instructions", {{40'044, 80'044}}},
                                                       {"cycles", {{20'300, 40'300}}},
                                                       {"branches", {{20'012, 40'012}}},
                                                       {"L1-dcache-loads", {{10'150, 20'150}}},
                                                       {"L1-icache-loads", {{1'200, 2'200}}}};
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> tries;  // by name and PMU

  Result<Trial> operator()(const Event& event, const Yardstick&) {
    const std::size_t nth = tries[{event.name, event.config >> 32U}]++;
    const auto found = events.find(event.name);
    if (found == events.end()) return failure("not on this PMU", "buy another", ENOENT);
    return Trial{.counts = found->second[std::min(nth, found->second.size() - 1)]};
  }
};

class PmuPlausibility : public testing::Test {
 protected:
  std::string doubt(std::string_view spec) {
    return judge.doubt(*Catalogue().resolve(spec)).value_or("");
  }
  Machine machine;
  Judge judge{std::ref(machine)};
};

TEST_F(PmuPlausibility, ARealCoreIsBelieved) {
  for (const char* name : {"instructions", "cycles", "branches", "branch-misses", "cache-misses",
                           "LLC-loads", "iTLB-load-misses", "bus-cycles", "r01c2"})
    EXPECT_EQ(doubt(name), "") << name;
}

TEST_F(PmuPlausibility, ADeadEventIsRejectedWithItsCompanions) {  // an emulated Cortex-A15
  machine.events["branches"] = machine.events["L1-dcache-loads"] = {kZero};
  EXPECT_EQ(doubt("branches"), "'branches' reads 0 over a loop of 20000 branches");
  EXPECT_EQ(doubt("branch-misses:k"),
            "the companion 'branches' reads 0 over a loop of 20000 branches");
  EXPECT_EQ(doubt("LLC-loads"),
            "the companion 'L1-dcache-loads' reads 0 over a loop of 10000 loads");
  for (const char* name : {"instructions", "cycles:u", "L1-icache-load-misses", "r01c2"})
    EXPECT_EQ(doubt(name), "") << name;
}

TEST_F(PmuPlausibility, WithoutACompanionThereIsNoJudgement) {
  machine.events.erase("branches");
  EXPECT_EQ(doubt("branch-misses"), "");
}

TEST_F(PmuPlausibility, TheNextCompanionReplacesAMissingOne) {
  machine.events.erase("L1-icache-loads");
  machine.events["L1-dcache-loads"] = {kZero};
  EXPECT_THAT(doubt("iTLB-load-misses"), HasSubstr("companion 'L1-dcache-loads' reads 0"));
}

TEST_F(PmuPlausibility, CyclesAreBelievedWithoutInstructions) {
  machine.events.erase("instructions");
  EXPECT_EQ(doubt("cycles") + doubt("r01c2"), "");
  Machine dead;
  dead.events["instructions"] = {kZero};
  Judge other{std::ref(dead)};
  EXPECT_FALSE(other.doubt(*Catalogue().resolve("cycles")));
  EXPECT_FALSE(other.doubt(*Catalogue().resolve("r01c2")));
  EXPECT_TRUE(other.doubt(*Catalogue().resolve("instructions")));
}

TEST_F(PmuPlausibility, NoEventOfAPmuThatCountsGarbageIsBelieved) {  // an emulated ARM1176
  machine.events["cycles"] = {kGarbage};
  for (const char* name : {"instructions", "branches", "branch-misses", "bus-cycles", "r01c2"})
    EXPECT_THAT(doubt(name), HasSubstr("this PMU's 'cycles' counts a loop of 40000 instructions "
                                       "as 2147483647"))
        << name;
}

TEST_F(PmuPlausibility, AVendorsEventOfAPmuThatReadsZeroIsNotBelieved) {
  machine.events["cycles"] = {kZero};
  machine.events.erase("instructions");
  EXPECT_THAT(doubt("r01c2"), HasSubstr("this PMU's 'cycles' reads 0"));
  EXPECT_EQ(doubt("branches"), "") << "it counts right for itself";
}

TEST_F(PmuPlausibility, AnErrnoIsNotAJudgement) {
  machine.events.clear();
  for (const char* name : {"instructions", "cycles", "branches", "LLC-loads", "r01c2"})
    EXPECT_EQ(doubt(name), "") << name;
  EXPECT_EQ((machine.tries[{"cycles", 0}]), 1U) << "nor is it worth a second try";
}

TEST_F(PmuPlausibility, EachEventIsTriedOnce) {
  for (const char* name : {"branches", "branch-misses", "branches:u", "cycles", "branches:k"})
    EXPECT_EQ(doubt(name), "");
  EXPECT_EQ((machine.tries[{"branches", 0}]), 1U);
  EXPECT_EQ((machine.tries[{"cycles", 0}]), 1U);
}

TEST_F(PmuPlausibility, OnlyARepeatedBadCountIsRejected) {
  machine.events["branches"] = {kZero, {20'012, 40'012}};
  machine.events["L1-dcache-loads"] = {kZero};
  EXPECT_EQ(doubt("branches"), "");
  EXPECT_NE(doubt("L1-dcache-loads"), "");
  EXPECT_GT((machine.tries[{"L1-dcache-loads", 0}]), 1U);
}

TEST_F(PmuPlausibility, EachPmuOfAHybridMachineIsJudgedSeparately) {
  Event little = *Catalogue().resolve("branches");
  little.config |= std::uint64_t{10} << 32U;
  EXPECT_FALSE(judge.doubt(little));
  EXPECT_EQ(doubt("branches"), "");
  EXPECT_EQ((machine.tries[{"branches", 10}]), 1U);
  EXPECT_EQ((machine.tries[{"cycles", 10}]), 1U);
  EXPECT_EQ((machine.tries[{"branches", 0}]), 1U);
}

TEST_F(PmuPlausibility, TheJudgementHasTheCountsOfInstructionsAndCycles) {
  const auto told = [](Machine on) {
    Judge judging{std::ref(on)};
    return hardware_counters(judging.judgement(instructions_yardstick()),
                             judging.judgement(cycles_yardstick()));
  };
  EXPECT_EQ(told(machine).verdict, Verdict::ok);
  EXPECT_EQ(told(machine).detail, "a loop of 80000 instructions counted as 80044, in 40300 cycles");
  Machine without = machine;
  without.events.erase("instructions");
  EXPECT_EQ(told(without).verdict, Verdict::warning);
  EXPECT_EQ(told(without).detail,
            "'cycles' counts a loop of 80000 instructions as 40300; "
            "'instructions': not on this PMU");
  EXPECT_EQ(told(without).remedy, "buy another");
  without.events["instructions"] = {kZero};
  EXPECT_EQ(told(without).verdict, Verdict::warning);
  EXPECT_THAT(told(without).detail, HasSubstr("'instructions' reads 0 over a loop of 40000 "
                                              "instructions: not believed"));
  without.events["instructions"] = {kGarbage};
  EXPECT_EQ(told(without).verdict, Verdict::problem);
  without.events = {};
  EXPECT_EQ(told(without).verdict, Verdict::problem);
}

}  // namespace
}  // namespace tacho::TEST_FILE
