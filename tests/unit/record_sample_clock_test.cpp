#include "record/sample_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

TEST(RecordSampleClock, ClocksHaveTheNamesOfPerf) {
  for (const char* name : {"monotonic", "mono", "CLOCK_MONOTONIC", "Mono", "1"})
    EXPECT_EQ(clock_named(name), CLOCK_MONOTONIC) << name;
  EXPECT_EQ(clock_named("raw"), CLOCK_MONOTONIC_RAW);
  EXPECT_EQ(clock_named("CLOCK_MONOTONIC_RAW"), CLOCK_MONOTONIC_RAW);
  EXPECT_EQ(clock_named("real"), CLOCK_REALTIME);
  EXPECT_EQ(clock_named("boottime"), CLOCK_BOOTTIME);
  EXPECT_EQ(clock_named("tai"), CLOCK_TAI);
  for (const char* name : {"", "monotonous", "clock_", "2", "-1"}) {
    ASSERT_FALSE(clock_named(name)) << name;
    EXPECT_THAT(clock_named(name).error().remedy, HasSubstr("mono"));
  }
}

TEST(RecordSampleClock, ASlowSourceIsNotTheDefault) {
  const MadeUpTree tree;
  EXPECT_EQ(default_clock(tree.path()), CLOCK_MONOTONIC) << "without sysfs, as on small boards";
  const auto with = [&](const char* source) {
    tree.write("sys/devices/system/clocksource/clocksource0/current_clocksource", source);
    return default_clock(tree.path());
  };
  EXPECT_EQ(with("tsc\n"), CLOCK_MONOTONIC);
  EXPECT_EQ(with("arch_sys_counter\n"), CLOCK_MONOTONIC);
  EXPECT_EQ(with("hpet\n"), std::nullopt);
  EXPECT_EQ(with("acpi_pm\n"), std::nullopt);
}

}  // namespace
}  // namespace tacho::TEST_FILE
