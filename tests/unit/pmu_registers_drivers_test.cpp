// Tests the drivers of ARM's counters with registers that behave as the manuals define.
#include <gtest/gtest.h>

#include "pmu/registers/arm1176_driver.hpp"
#include "pmu/registers/armv7_aarch64_driver.hpp"
#include "pmu/registers/virtual_counter.hpp"
#include "pmu_registers_fake.hpp"

namespace tacho::arm::TEST_FILE {
namespace {

constexpr std::uint64_t kWrap = std::uint64_t{1} << 32U;

TEST(VirtualCounter, CountsAcrossTheWrap) {
  EXPECT_EQ(gained(10, 25, false, 32), 15U);
  EXPECT_EQ(gained(kWrap - 5, 7, true, 32), 12U);
  EXPECT_EQ(gained(kWrap - 1, 0, true, 32), 1U);
  EXPECT_EQ(gained(5, 5, false, 32), 0U);
  EXPECT_EQ(gained(7, 6, true, 32), kWrap - 1);
}

TEST(VirtualCounter, RefusesReadingsThatTheFlagContradicts) {
  EXPECT_EQ(gained(7, 7, true, 32).error(), Doubtful::overrun) << "exactly once around";
  EXPECT_EQ(gained(7, 8, true, 32).error(), Doubtful::overrun);
  EXPECT_EQ(gained(8, 7, false, 32).error(), Doubtful::written);
}

TEST(VirtualCounter, With64BitsNeedsNoFlag) {
  EXPECT_EQ(gained(kWrap - 5, kWrap + 7, true, 64), 12U);
  EXPECT_EQ(gained(8, 7, true, 64).error(), Doubtful::written);
}

TEST(Arm1176Driver, CountsTwoEventsAndCycles) {
  FakeArm1176 core;
  const auto driver = make_arm1176_driver(core);
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x07});
  driver->configure(1, {.event = 0x0b});
  driver->configure(kCycleCounter, {.event = 0xff});
  EXPECT_EQ(core.pmnc, 0x07U << 20 | 0x0bU << 12 | 1U) << "EvtCount0, EvtCount1 and E";
  const std::uint64_t before = driver->read(bit(kCycleCounter)).values[kCycleCounter];
  core.happen(1000, {{0x07, {600, 20}}, {0x0b, {30, 1}}, {0x05, {99, 0}}});
  const Snapshot now = driver->read(bit(0) | bit(1) | bit(kCycleCounter));
  EXPECT_EQ(now.values[0], 620U);
  EXPECT_EQ(now.values[1], 31U);
  EXPECT_EQ(now.values[kCycleCounter] - before, 1000U);
  EXPECT_EQ(now.overflowed, 0U);
}

TEST(Arm1176Driver, ClearsOnlyTheRequestedFlag) {
  FakeArm1176 core;
  const auto driver = make_arm1176_driver(core);
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x07});
  driver->configure(1, {.event = 0x0b});
  core.counters = {0xfffffff0, 0xfffffff0, 0xfffffff0};
  core.happen(32, {{0x07, {32, 0}}, {0x0b, {32, 0}}});
  EXPECT_EQ(driver->read(bit(0)).overflowed, bit(0) | bit(1) | bit(kCycleCounter));
  driver->clear_overflows(bit(1));
  EXPECT_EQ(driver->read(bit(0)).overflowed, bit(0) | bit(kCycleCounter));
  driver->configure(0, {.event = 0x05});
  EXPECT_EQ(driver->read(bit(0)).overflowed, bit(kCycleCounter));
  EXPECT_EQ(driver->read(bit(0)).values[0], 0U) << "and its counter begins anew";
}

TEST(Arm1176Driver, DividesCycles) {
  FakeArm1176 core;
  const auto driver = make_arm1176_driver(core);
  driver->take_over();
  driver->turn_on();
  driver->configure(kCycleCounter, {.event = 0xff, .divided = true});
  EXPECT_NE(core.pmnc & 8, 0U);
  core.happen(6400, {});
  EXPECT_EQ(driver->read(bit(kCycleCounter)).values[kCycleCounter], 100U);
  driver->configure(kCycleCounter, {.event = 0xff});
  EXPECT_EQ(core.pmnc & 8, 0U);
}

TEST(Arm1176Driver, NoticesChangesByOthersAndRestoresTheRegisters) {
  FakeArm1176 core;
  core.pmnc = 0x12U << 20 | 1U;
  const auto driver = make_arm1176_driver(core);
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x07});
  EXPECT_TRUE(driver->intact(bit(0)));
  core.pmnc &= ~1U;
  EXPECT_FALSE(driver->intact(bit(0))) << "somebody stopped all counters";
  driver->give_back();
  EXPECT_EQ(core.pmnc, 0x12U << 20 | 1U);
}

// Both architectures, with the number of counters of a Cortex-A7 and of a Cortex-A15, A53 or A57.
struct Later : testing::TestWithParam<std::pair<unsigned, bool>> {
  FakeLater core{GetParam().first, GetParam().second};
  std::unique_ptr<Driver> driver = make_armv7_aarch64_driver(
      {.cycle_bits = GetParam().second ? 64U : 32U}, core, static_cast<int>(GetParam().first));
  int last = static_cast<int>(GetParam().first) - 1;
};
INSTANTIATE_TEST_SUITE_P(, Later,
                         testing::Values(std::pair{4U, false}, std::pair{6U, false},
                                         std::pair{6U, true}));

TEST_P(Later, EveryCounterCountsItsEventWhileItIsOn) {
  driver->take_over();
  driver->turn_on();
  for (int counter = 0; counter <= last; ++counter)
    driver->configure(counter, {.event = static_cast<std::uint16_t>(0x40 + counter)});
  Happened events;
  for (std::uint16_t i = 0; i < 6; ++i) events[static_cast<std::uint16_t>(0x40 + i)] = {i, 100};
  core.happen(1000, events);
  EXPECT_EQ(driver->read(bit(last)).values[last], 0U) << "not yet on";
  driver->start(bit(0) | bit(last));
  core.happen(1000, events);
  const Snapshot now = driver->read(bit(0) | bit(1) | bit(last));
  EXPECT_EQ(now.values[0], 100U);
  EXPECT_EQ(now.values[1], 0U);
  EXPECT_EQ(now.values[last], 100U + static_cast<unsigned>(last));
  driver->stop(bit(0));
  core.happen(1000, events);
  EXPECT_EQ(driver->read(bit(0)).values[0], 100U);
}

TEST_P(Later, SeparatesUserModeAndKernelMode) {
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x08, .kernel = false});
  driver->configure(1, {.event = 0x08, .user = false});
  driver->configure(2, {.event = 0x08});
  driver->configure(kCycleCounter, {.event = 0x11, .kernel = false});
  driver->start(bit(0) | bit(1) | bit(2) | bit(kCycleCounter));
  core.happen(Work{70, 7}, {{0x08, {50, 5}}});
  const Snapshot now = driver->read(bit(0) | bit(1) | bit(2) | bit(kCycleCounter));
  EXPECT_EQ(now.values[0], 50U);
  EXPECT_EQ(now.values[1], 5U);
  EXPECT_EQ(now.values[2], 55U);
  EXPECT_EQ(now.values[kCycleCounter], 70U);
}

TEST_P(Later, DividesCyclesAlsoWith64Bits) {
  core.pmcr = core.wide ? 0x40 : 0;  // as perf leaves it on AArch64
  driver->take_over();
  driver->turn_on();
  driver->configure(kCycleCounter, {.event = 0x11, .divided = true});
  driver->start(bit(kCycleCounter));
  core.happen(6400, {});
  EXPECT_EQ(driver->read(bit(kCycleCounter)).values[kCycleCounter], 100U);
  driver->configure(kCycleCounter, {.event = 0x11});
  driver->start(bit(kCycleCounter));
  core.happen(1000, {});
  EXPECT_EQ(driver->read(bit(kCycleCounter)).values[kCycleCounter], 1100U);
  driver->give_back();
  EXPECT_EQ(core.pmcr, core.wide ? 0x40U : 0U);
}

TEST_P(Later, FlagsTheOverflowOfTheCounterThatOverflowed) {
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x08});
  driver->configure(1, {.event = 0x08});
  driver->start(bit(0) | bit(1));
  core.counters[1] = 0xfffffff0;
  core.happen(1, {{0x08, {32, 0}}});
  const Snapshot now = driver->read(bit(0) | bit(1));
  EXPECT_EQ(now.overflowed, bit(1));
  EXPECT_EQ(now.values[1], 16U);
  driver->clear_overflows(bit(1));
  EXPECT_EQ(driver->read(bit(1)).overflowed, 0U);
}

TEST_P(Later, NoticesChangesByOthersAndRestoresTheRegisters) {
  core.enabled = 0x80000000;
  core.types[31] = 0x80000000;
  core.types[0] = 0x03;
  core.selected = 2;
  core.pmcr = 1;
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x08});
  driver->start(bit(0));
  EXPECT_TRUE(driver->intact(bit(0)));
  const auto spoilt = [&](auto spoil) {
    const FakeLater kept = core;
    spoil();
    const bool noticed = !driver->intact(bit(0));
    core = kept;
    return noticed;
  };
  EXPECT_TRUE(spoilt([&] { core.pmcr = 0; }));
  EXPECT_TRUE(spoilt([&] { core.enabled &= ~1U; }));
  EXPECT_TRUE(spoilt([&] { core.types[0] = 0x10; }));
  driver->give_back();
  EXPECT_EQ(core.enabled, 0x80000000);
  EXPECT_EQ(core.types[31], 0x80000000);
  EXPECT_EQ(core.types[0], 0x03U) << "else its owner would go on to count another event";
  EXPECT_EQ(core.selected, 2U);
  EXPECT_EQ(core.pmcr, 1U);
}

TEST_P(Later, TakesCommonEventsFromTheCoresReport) {
  EXPECT_EQ(driver->has(0x08), true);
  EXPECT_EQ(driver->has(0x09), false);
  EXPECT_EQ(driver->has(0x24), false);
  EXPECT_EQ(driver->has(0x76), std::nullopt) << "about its own events it says nothing";
  core.common.clear();
  EXPECT_EQ(make_armv7_aarch64_driver({}, core, 4)->has(0x08), std::nullopt);
}

TEST_P(Later, ACounterThatDoesNotKeepItsEventIsNotIntact) {
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x7fff});  // more bits than these counters have
  driver->start(bit(0));
  EXPECT_FALSE(driver->intact(bit(0)));
}

// A Cortex-A8, whose counters have an event of 8 bits and no filter.
struct BeforePmuv2 : testing::Test {
  FakeLater core = [] {
    FakeLater made{4, false};
    made.filters = false;
    made.common.clear();
    return made;
  }();
  std::unique_ptr<Driver> driver = make_armv7_aarch64_driver({.tells_modes = false}, core, 4);
};

TEST_F(BeforePmuv2, CountsBothModesAndTheCycles) {
  EXPECT_FALSE(driver->tells_modes());
  driver->take_over();
  driver->turn_on();
  driver->configure(0, {.event = 0x08});
  driver->configure(kCycleCounter, {.event = 0x11});
  driver->start(bit(0) | bit(kCycleCounter));
  core.happen(Work{70, 7}, {{0x08, {50, 5}}});
  const Snapshot now = driver->read(bit(0) | bit(kCycleCounter));
  EXPECT_EQ(now.values[0], 55U);
  EXPECT_EQ(now.values[kCycleCounter], 77U);
  EXPECT_TRUE(driver->intact(bit(0) | bit(kCycleCounter)));
}

// The fake throws if the cycle counter's type is touched: PMSELR has no such number there.
TEST_F(BeforePmuv2, RestoresTheEventCountersAndLeavesTheCycleCounterAlone) {
  core.types[2] = 0x0c;
  core.enabled = 0x80000000;
  core.pmcr = 1;
  driver->take_over();
  driver->turn_on();
  driver->configure(2, {.event = 0x56});
  driver->start(bit(2));
  core.types[2] = 0x10;
  EXPECT_FALSE(driver->intact(bit(2))) << "somebody changed its event";
  driver->give_back();
  EXPECT_EQ(core.types[2], 0x0cU);
  EXPECT_EQ(core.enabled, 0x80000000);
}

}  // namespace
}  // namespace tacho::arm::TEST_FILE
