// Tests a thread's reading of narrow registers, with made-up tables and registers.
#include "pmu/registers/counter_table.hpp"

#include <gtest/gtest.h>

#include <map>

#include "events/generic_names.hpp"
#include "pmu/registers/event_number.hpp"

namespace tacho::arm::TEST_FILE {
namespace {

constexpr std::uint64_t k32Bits = 0xffff'ffff;

// The count that one counter's row gives for a register's value.
std::uint64_t count(CounterTable::Row row, std::uint64_t now) {
  CounterTable table;
  table.rows()[0] = row;
  table.set_size(1);
  std::uint64_t value = 0;
  std::uint64_t retries = 0;
  table.read(&value, retries, [&](int) { return now; });
  EXPECT_EQ(retries, 0U);
  return value;
}

TEST(CounterTable, AddsTheGainOfTheRegister) {
  EXPECT_EQ(count({.mask = k32Bits, .last = 100, .count = 5'000}, 123), 5'023U);
}

TEST(CounterTable, AddsTheGainOfARegisterThatWrapped) {
  EXPECT_EQ(count({.mask = k32Bits, .last = 0xffff'fff0, .count = 0}, 4), 20U);
  EXPECT_EQ(count({.mask = ~std::uint64_t{0}, .last = ~std::uint64_t{0}, .count = 0}, 6), 7U);
}

TEST(CounterTable, CountsBeyond32And48BitsAreWhole) {
  EXPECT_EQ(count({.mask = k32Bits, .last = 0xffff'ffff, .count = 0xffff'ffff}, 0), 0x1'0000'0000U);
  EXPECT_EQ(count({.mask = k32Bits, .last = 7, .count = 0x1'0000'0000'0000}, 3),
            0x1'0000'ffff'fffcU);
  EXPECT_EQ(count({.mask = ~std::uint64_t{0}, .last = 0, .count = 0}, 0x1'0000'0000'0007),
            0x1'0000'0000'0007U);
}

TEST(CounterTable, StoresEachCountAtItsPlace) {
  CounterTable table;
  table.rows()[0] = {.counter = kCycleCounter, .place = 2, .mask = k32Bits};
  table.rows()[1] = {.counter = 0, .place = 0, .mask = k32Bits};
  table.set_size(2);
  std::array<std::uint64_t, 3> values = {1, 77, 3};
  std::uint64_t retries = 0;
  table.read(values.data(), retries, [](int counter) { return counter == 0 ? 10U : 20U; });
  EXPECT_EQ(values, (std::array<std::uint64_t, 3>{10, 77, 20}));
}

// The keeper changes the table between two registers, so the first was read with the old table.
TEST(CounterTable, RepeatsAReadingDuringWhichTheKeeperChangedTheTable) {
  CounterTable table;
  table.rows()[0] = {.counter = 0, .place = 0, .mask = k32Bits, .last = 0, .count = 1'000};
  table.rows()[1] = {.counter = 1, .place = 1, .mask = k32Bits, .last = 0, .count = 2'000};
  table.set_size(2);
  std::map<int, std::uint64_t> registers = {{0, 50}, {1, 60}};
  bool came = false;
  std::array<std::uint64_t, 2> values{};
  std::uint64_t retries = 0;
  table.read(values.data(), retries, [&](int counter) {
    if (counter == 1 && !std::exchange(came, true)) {
      table.close();
      table.rows()[0] = {.counter = 0, .place = 0, .mask = k32Bits, .last = 50, .count = 1'050};
      table.rows()[1] = {.counter = 1, .place = 1, .mask = k32Bits, .last = 60, .count = 2'060};
      table.open();
      registers = {{0, 51}, {1, 62}};
    }
    return registers[counter];
  });
  EXPECT_EQ(retries, 1U);
  EXPECT_EQ(values, (std::array<std::uint64_t, 2>{1'051, 2'062}));
}

Event generic(const char* name) {
  Event event = *generic_event(name);
  event.name = name;
  return event;
}

// From ARM DDI 0406C, C12.8.2, and the kernel's drivers for perf's generic events.
TEST(EventNumber, IsTheArchitecturesNumber) {
  const std::map<const char*, std::uint16_t> numbers = {{"cycles", 0x11},
                                                        {"instructions", 0x08},
                                                        {"cache-references", 0x04},
                                                        {"cache-misses", 0x03},
                                                        {"branch-misses", 0x10}};
  for (const auto& [name, number] : numbers) {
    const auto wanted = wanted_of(generic(name));
    ASSERT_TRUE(wanted) << name;
    EXPECT_EQ(wanted->setting.event, number) << name;
    EXPECT_EQ(wanted->cycles, number == 0x11) << name;
  }
}

TEST(EventNumber, KeepsTheModes) {
  Event event = generic("instructions");
  event.exclude_kernel = true;
  EXPECT_FALSE(wanted_of(event)->setting.kernel);
  EXPECT_TRUE(wanted_of(event)->setting.user);
}

// ARM DDI 0388I, table 11-5: 0x08 is not implemented, 0x68 has similar functionality.
TEST(EventNumber, InstructionsOfACortexA9HaveItsOwnNumber) {
  EXPECT_EQ(wanted_of(generic("instructions"), traits_of({0x41, 0xc09}))->setting.event, 0x68);
  EXPECT_EQ(wanted_of(generic("instructions"), traits_of({0x41, 0xc08}))->setting.event, 0x08);
  EXPECT_EQ(wanted_of(generic("instructions"), traits_of({0x41, 0xd0b}))->setting.event, 0x08);
  EXPECT_EQ(wanted_of(generic("cache-misses"), traits_of({0x41, 0xc09}))->setting.event, 0x03);
}

TEST(EventNumber, AModeIsRefusedOnCoresThatDoNotTellModes) {
  Event event = generic("cycles");
  event.exclude_kernel = true;
  for (const std::uint32_t part : {0xc05U, 0xc08U, 0xc09U}) {
    EXPECT_TRUE(wanted_of(generic("cycles"), traits_of({0x41, part}))) << part;
    const auto wanted = wanted_of(event, traits_of({0x41, part}));
    ASSERT_FALSE(wanted) << part;
    EXPECT_NE(wanted.error().what.find("can't tell user mode"), std::string::npos);
  }
  EXPECT_TRUE(wanted_of(event, traits_of({0x41, 0xc07})));
  EXPECT_TRUE(wanted_of(event, traits_of({0x51, 0xc08}))) << "another company's core";
}

TEST(EventNumber, AnEventWithoutANumberIsRefusedByName) {
  for (const char* name : {"page-faults", "bus-cycles"}) {
    const auto wanted = wanted_of(generic(name));
    ASSERT_FALSE(wanted) << name;
    EXPECT_NE(wanted.error().what.find(name), std::string::npos);
  }
  Event event = generic("cycles");
  event.precise = 2;
  EXPECT_FALSE(wanted_of(event));
}

}  // namespace
}  // namespace tacho::arm::TEST_FILE
