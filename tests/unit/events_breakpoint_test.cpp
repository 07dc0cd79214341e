// Tests breakpoints in the spelling of perf-list(1).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "events/split_events.hpp"
#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

Event breakpoint(const std::string& spec) {
  const auto event = MadeUpTree().catalogue().resolve(spec);
  EXPECT_TRUE(event) << event.error().what;
  return event.value_or(Event());
}

std::string failure_of(const std::string& spec) {
  const auto event = MadeUpTree().catalogue().resolve(spec);
  return event ? "it was taken" : event.error().what;
}

TEST(EventsBreakpoint, WatchesFourBytesForReadsAndWritesByDefault) {
  const Event event = breakpoint("mem:0x404028");
  EXPECT_EQ(event.type, static_cast<std::uint32_t>(PERF_TYPE_BREAKPOINT));
  EXPECT_EQ(event.access, static_cast<std::uint32_t>(HW_BREAKPOINT_RW));
  EXPECT_EQ(event.config1, 0x404028U);
  EXPECT_EQ(event.config2, 4U);
  EXPECT_TRUE(event.any_level);
}

TEST(EventsBreakpoint, AcceptsBytesAccessAndModifiers) {
  EXPECT_EQ(breakpoint("mem:4096/8:w").config2, 8U);
  EXPECT_EQ(breakpoint("mem:4096/8:w").access, static_cast<std::uint32_t>(HW_BREAKPOINT_W));
  EXPECT_EQ(breakpoint("mem:0x10/1:r").access, static_cast<std::uint32_t>(HW_BREAKPOINT_R));
  EXPECT_EQ(breakpoint("mem:0x10:wr").access, static_cast<std::uint32_t>(HW_BREAKPOINT_RW));
  for (const char* spec : {"mem:0x10:w:u", "mem:0x10:wu", "mem:0x10/2:rw:u", "mem:0x10:u"})
    EXPECT_TRUE(breakpoint(spec).exclude_kernel) << spec;
}

TEST(EventsBreakpoint, AnInstructionHasAPointersSize) {
  EXPECT_EQ(breakpoint("mem:0x401136:x").access, static_cast<std::uint32_t>(HW_BREAKPOINT_X));
  EXPECT_EQ(breakpoint("mem:0x401136:x").config2, sizeof(long));
}

TEST(EventsBreakpoint, IsAcceptedInListsAndGroups) {
  const auto groups = split_events("mem:0x10/8:w,{mem:0x20/4:rw,page-faults}:u");
  ASSERT_TRUE(groups) << groups.error().what;
  EXPECT_EQ(*groups, (std::vector<std::vector<std::string>>{{"mem:0x10/8:w"},
                                                            {"mem:0x20/4:rw:u", "page-faults:u"}}));
}

TEST(EventsBreakpoint, ErrorsGiveTheReason) {
  EXPECT_THAT(failure_of("mem:0x404028/3"), HasSubstr("1, 2, 4 or 8 bytes"));
  EXPECT_THAT(failure_of("mem:0x404028/"), HasSubstr("the bytes"));
  EXPECT_THAT(failure_of("mem:0x40402g:w"), HasSubstr("the address"));
  EXPECT_THAT(failure_of("mem:0x404028:rx"), HasSubstr("x excludes r and w"));
  EXPECT_THAT(failure_of("mem:0x404028:z"), HasSubstr("no modifier 'z'"));
  EXPECT_THAT(failure_of("mem:fault"), HasSubstr("mem:fault"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
