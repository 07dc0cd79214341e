// Tests the bank: counts in 64 bits, shared counters, and the stretches that it gives up.
#include "pmu/registers/bank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmu/registers/arm1176_driver.hpp"
#include "pmu/registers/armv7_aarch64_driver.hpp"
#include "pmu_registers_fake.hpp"

namespace tacho::arm::TEST_FILE {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Wanted kCycles = {.setting = {.event = 0x11}, .cycles = true};
const Wanted kInstructions = {.setting = {.event = 0x08}};
const Wanted kMisses = {.setting = {.event = 0x03}};

struct ArmBank : testing::Test {
  FakeLater core{4, false};
  FakeObserver observer;
  std::unique_ptr<Driver> driver = make_armv7_aarch64_driver({}, core, 4);
  std::chrono::nanoseconds now{};
  Bank bank{core, *driver, observer, 4, [this] { return now; }};

  std::uint64_t value(const Bank::Allocation* allocation, std::size_t event) const {
    return bank.counted(*allocation)[event].value;
  }

  void work(std::uint64_t cycles, std::uint64_t instructions,
            milliseconds time = milliseconds(10)) {
    core.happen(cycles, {{0x08, {instructions, 0}}, {0x03, {instructions / 10, 0}}});
    now += time;
  }
};

TEST_F(ArmBank, CountsFromTheAllocationOn) {
  work(1000, 500);
  const auto lent = bank.allocate(std::vector{kCycles, kInstructions});
  ASSERT_TRUE(lent);
  work(1000, 500);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 1000U);
  EXPECT_EQ(value(*lent, 1), 500U);
  EXPECT_EQ(bank.enabled_ns(), 10'000'000U);
  EXPECT_EQ(bank.counted(**lent)[0].running_ns, 10'000'000U);
  EXPECT_THAT(bank.losses(), IsEmpty());
}

TEST_F(ArmBank, CountsBeyondTheWidthOfItsRegisters) {
  const auto lent = bank.allocate(std::vector{kCycles, kInstructions});
  constexpr std::uint64_t kStep = 3'000'000'000;
  for (int i = 0; i < 5; ++i) {
    work(kStep, kStep / 3, milliseconds(200));
    bank.look();
  }
  EXPECT_EQ(value(*lent, 0), 5 * kStep);
  EXPECT_EQ(value(*lent, 1), 5 * (kStep / 3));
  EXPECT_THAT(bank.losses(), IsEmpty());
}

TEST_F(ArmBank, GivesUpAStretchInWhichACounterMayHaveWrappedTwice) {
  const auto lent = bank.allocate(std::vector{kCycles});
  work(5'000'000'000, 0, milliseconds(200));  // more than 32 bits, and flagged
  bank.look();
  EXPECT_EQ(value(*lent, 0), 0U);
  EXPECT_EQ(bank.counted(**lent)[0].running_ns, 0U);
  EXPECT_EQ(bank.enabled_ns(), 200'000'000U);
  EXPECT_THAT(bank.losses(), HasSubstr("overflowed more than once"));
  work(100, 0);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 100U) << "and counts on from there";
}

TEST_F(ArmBank, GivesUpAStretchThatIsTooLong) {
  const auto lent = bank.allocate(std::vector{kCycles});
  work(1000, 0, Bank::kLongestStretch + milliseconds(1));
  bank.look();
  EXPECT_EQ(value(*lent, 0), 0U);
  EXPECT_THAT(bank.losses(), HasSubstr("for too long"));
}

TEST_F(ArmBank, GroupsShareTheCounterOfTheSameEvent) {
  const auto always = bank.allocate(std::vector{kCycles});
  const auto set = bank.allocate(std::vector{kCycles, kInstructions});
  const auto more = bank.allocate(std::vector{kMisses, Wanted{.setting = {.event = 1}},
                                              Wanted{.setting = {.event = 2}}, kCycles});
  EXPECT_TRUE(more) << "four events, and one cycle counter for all";
  work(70, 30);
  const std::vector<Reading> ended = bank.release(*set);
  EXPECT_EQ(ended[0].value, 70U);
  EXPECT_EQ(ended[1].value, 30U);
  work(1000, 500);
  bank.look();
  EXPECT_EQ(value(*always, 0), 1070U) << "still counts for the other";
}

TEST_F(ArmBank, AnAllocationOfASharedCounterBeginsWithItsOtherCounters) {
  const auto always = bank.allocate(std::vector{kCycles});
  work(1000, 500);  // since the last look; belongs to the first allocation alone
  const auto set = bank.allocate(std::vector{kCycles, kInstructions});
  work(100, 50);
  bank.look();
  EXPECT_EQ(value(*always, 0), 1100U);
  EXPECT_EQ(value(*set, 0), 100U);
  EXPECT_EQ(value(*set, 1), 50U);
  EXPECT_EQ(bank.counted(**set)[0].running_ns, 10'000'000U);
  now += milliseconds(2);
  observer.trouble = "perf was here";
  const auto late = bank.allocate(std::vector{kCycles});  // the stretch before it is given up
  work(10, 5);
  bank.look();
  EXPECT_EQ(value(*late, 0), 10U);
  EXPECT_EQ(value(*always, 0), 1110U);
}

// What happens between the last look and the reading that a allocation begins with is in the same
// stretch.
TEST_F(ArmBank, AnAllocationsBeginningIsRightInAStretchThatIsGivenUp) {
  int moments = 0;
  Bank busy(core, *driver, observer, 4, [this, &moments] {
    if (moments > 0) core.happen(5, {});
    return now += std::chrono::microseconds(1);
  });
  const auto always = busy.allocate(std::vector{kCycles});
  moments = 1;
  const auto set = busy.allocate(std::vector{kCycles});
  moments = 0;
  core.happen(100, {});
  busy.look();
  EXPECT_EQ(busy.counted(**set)[0].value, 110U) << "the clock was asked twice after its reading";
  EXPECT_GT(busy.counted(**always)[0].value, 100U);
  moments = 1;
  const auto other = busy.allocate(std::vector{kCycles});
  moments = 0;
  core.happen(100, {});
  observer.trouble = "perf was here";
  busy.look();
  core.happen(10, {});
  busy.look();
  EXPECT_EQ(busy.counted(**other)[0].value, 10U);
}

TEST_F(ArmBank, CyclesOfTwoKindsTakeAnEventCounter) {
  Wanted user = kCycles;
  user.setting.kernel = false;
  const auto lent = bank.allocate(std::vector{user, kCycles});
  core.happen(Work{70, 30}, {});
  now += milliseconds(1);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 70U);
  EXPECT_EQ(value(*lent, 1), 100U);
}

TEST_F(ArmBank, DividedCyclesAreCycles) {
  Wanted divided = kCycles;
  divided.setting.divided = true;
  const auto lent = bank.allocate(std::vector{kCycles, divided});
  constexpr std::uint64_t kMany = 64'000'000'000;  // 38 bits of cycles in a register of 32
  core.happen(4'000'000'000, {});
  now += milliseconds(100);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 4'000'000'000U);
  EXPECT_EQ(value(*lent, 1), 4'000'000'000U);
  EXPECT_FALSE(bank.allocate(std::vector{
      Wanted{.setting = {.event = 0x11, .kernel = false, .divided = true}, .cycles = true}}))
      << "there is one cycle counter";
  bank.release(*lent);
  const auto alone = bank.allocate(std::vector{divided});
  const std::uint64_t before = value(*alone, 0);
  core.happen(kMany, {});
  now += milliseconds(100);
  bank.look();
  EXPECT_EQ(value(*alone, 0) - before, kMany);
}

TEST_F(ArmBank, RefusesMoreEventsThanCounters) {
  std::vector<Wanted> five;
  for (std::uint16_t i = 0; i < 5; ++i) five.push_back({.setting = {.event = i}});
  EXPECT_FALSE(bank.fits(five));
  EXPECT_FALSE(bank.allocate(five));
  five.pop_back();
  EXPECT_TRUE(bank.fits(five));
  ASSERT_TRUE(bank.allocate(five));
  const auto more = bank.allocate(std::vector{kMisses, kInstructions});
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().what, HasSubstr("4 counters"));
}

TEST_F(ArmBank, GivesUpAStretchInWhichTheObserverFoundTrouble) {
  const auto lent = bank.allocate(std::vector{kCycles});
  work(1000, 0);
  observer.trouble = "perf was here";
  bank.look();
  work(10, 0);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 10U);
  EXPECT_EQ(bank.counted(**lent)[0].running_ns, 10'000'000U);
  EXPECT_EQ(bank.enabled_ns(), 20'000'000U);
  EXPECT_EQ(bank.losses(), "0.010 s of 0.020 s of counting were given up: perf was here (1×)");
  EXPECT_THAT(bank.losses(), IsEmpty()) << "each is told once";
}

TEST_F(ArmBank, WritesNothingWhileOthersUseTheRegisters) {
  const auto lent = bank.allocate(std::vector{kCycles, kInstructions});
  work(1000, 500);
  observer.trouble = "perf holds the counters";
  observer.clear = false;
  core.types[0] = 0x77;  // perf's event, in our counter
  bank.look();
  for (int i = 0; i < 3; ++i) {
    work(1000, 500);
    bank.look();
    const auto set = bank.allocate(std::vector{kMisses});
    bank.release(*set);
  }
  EXPECT_EQ(core.types[0], 0x77U);
  EXPECT_EQ(value(*lent, 1), 0U);
  observer.clear = true;
  bank.look();
  work(1000, 500);
  bank.look();
  EXPECT_EQ(value(*lent, 1), 500U) << "set up anew, once perf has let go";
}

TEST_F(ArmBank, GivesUpAStretchInWhichOthersConfiguredCounters) {
  const auto lent = bank.allocate(std::vector{kInstructions});
  core.types[0] = 0x03;
  work(1000, 500);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 0U);
  EXPECT_THAT(bank.losses(), HasSubstr("somebody else changed"));
}

TEST_F(ArmBank, ReportsAnEventNumberThatTheCoreDoesNotKeep) {
  const auto lent = bank.allocate(std::vector{Wanted{.setting = {.event = 0x4008}}});
  work(100, 50);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 0U);
  EXPECT_THAT(bank.losses(), HasSubstr("the core has no event 0x4008"));
  EXPECT_THAT(bank.losses(), Not(HasSubstr("somebody else")));
}

TEST_F(ArmBank, GivesUpAStretchThatCouldNotBeRead) {
  const auto lent = bank.allocate(std::vector{kInstructions});
  work(1000, 500);
  core.refused = true;
  bank.look();
  core.refused = false;
  EXPECT_EQ(bank.counted(**lent)[0].running_ns, 0U);
  bank.look();  // this stretch began without access
  work(1000, 500);
  bank.look();
  EXPECT_EQ(value(*lent, 0), 500U);
}

TEST_F(ArmBank, GivesUpAStretchInWhichTheCycleCounterDidNotAdvance) {
  const auto lent = bank.allocate(std::vector{kCycles, kInstructions});
  now += milliseconds(10);
  bank.look();
  EXPECT_EQ(bank.counted(**lent)[0].running_ns, 0U);
  EXPECT_THAT(bank.losses(), HasSubstr("did not advance"));
}

TEST_F(ArmBank, RestoresTheCountersAsItFoundThem) {
  FakeLater other(6, true);
  other.pmcr = 0x41;
  other.enabled = 0x80000000;
  {
    const auto others = make_armv7_aarch64_driver({.cycle_bits = 64}, other, 6);
    Bank short_lived(other, *others, observer, 6, [this] { return now; });
    ASSERT_TRUE(short_lived.allocate(std::vector{kCycles, kInstructions}));
    EXPECT_EQ(other.enabled, 0x80000001);
  }
  EXPECT_EQ(other.enabled, 0x80000000);
  EXPECT_EQ(other.pmcr, 0x41U);
}

// The state in which perf leaves PMUv3p5: the flags are those of 64 bits. A program of 32 bits sees
// half of the cycle counter, a program of 64 bits sees all of it.
TEST(LongCountersBank, CountsBeyondTheVisible32Bits) {
  for (const unsigned cycle_bits : {32U, 64U}) {
    FakeLater core(6, true);
    core.long_events = true;
    core.half_cycles = cycle_bits == 32;
    core.pmcr = 0xc1;
    FakeObserver observer;
    std::chrono::nanoseconds now{};
    {
      const auto driver = make_armv7_aarch64_driver({.cycle_bits = cycle_bits}, core, 6);
      Bank bank(core, *driver, observer, 6, [&] { return now; });
      const auto lent = bank.allocate(std::vector{kCycles, kInstructions});
      ASSERT_TRUE(lent);
      for (int i = 0; i < 5; ++i) {
        core.happen(3'000'000'000, {{0x08, {1'000'000'000, 0}}});
        now += milliseconds(200);
        bank.look();
      }
      EXPECT_EQ(bank.counted(**lent)[0].value, 15'000'000'000U) << cycle_bits;
      EXPECT_EQ(bank.counted(**lent)[1].value, 5'000'000'000U) << cycle_bits;
      EXPECT_THAT(bank.losses(), IsEmpty());
    }
    EXPECT_EQ(core.pmcr, 0xc1U) << "and is left as it was found";
  }
}

TEST(Arm1176Bank, CountsTwoEventsBesideCyclesAcrossTheWrap) {
  FakeArm1176 core;
  FakeObserver observer;
  const auto driver = make_arm1176_driver(core);
  std::chrono::nanoseconds now{};
  Bank bank(core, *driver, observer, 2, [&] { return now; });
  const Wanted cycles = {.setting = {.event = 0xff}, .cycles = true};
  const auto lent = bank.allocate(
      std::vector{cycles, Wanted{.setting = {.event = 0x07}}, Wanted{.setting = {.event = 0x01}}});
  ASSERT_TRUE(lent);
  EXPECT_FALSE(bank.allocate(std::vector{Wanted{.setting = {.event = 0x05}}}));
  for (int i = 0; i < 9; ++i) {
    core.happen(700'000'000, {{0x07, {300'000'000, 1}}, {0x01, {5, 5}}});
    now += milliseconds(200);
    bank.look();
  }
  EXPECT_EQ(bank.counted(**lent)[0].value, 6'300'000'000U);
  EXPECT_EQ(bank.counted(**lent)[1].value, 2'700'000'009U);
  EXPECT_EQ(bank.counted(**lent)[2].value, 90U);
  EXPECT_THAT(bank.losses(), IsEmpty());
}

}  // namespace
}  // namespace tacho::arm::TEST_FILE
