// Tests the lists of ARM cores' events.
#include "events/core_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

CoreEvents core(const std::string& name) {
  auto loaded = load_core_events(std::string(TACHO_SOURCE_DIR) + "/data/events/" + name + ".toml");
  EXPECT_TRUE(loaded) << loaded.error().what;
  return loaded.value_or(CoreEvents());
}

TEST(CoreEvents, EveryShippedFileIsValid) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TACHO_SOURCE_DIR) + "/data/events")) {
    const auto loaded = load_core_events(entry.path());
    ASSERT_TRUE(loaded) << loaded.error().what;
    for (const char* name : {"cycles", "instructions", "branches", "branch-misses",
                             "L1-dcache-loads", "L1-dcache-load-misses", "iTLB-load-misses"})
      EXPECT_NE(loaded->find(name), nullptr) << entry.path() << " has no " << name;
  }
}

// The numbers are from ARM's manuals and the kernel's drivers (armv6pmu, armv7pmu, armv8_pmuv3).
TEST(CoreEvents, GenericNamesHaveTheManualsNumbers) {
  const CoreEvents arm1176 = core("arm1176");
  EXPECT_EQ(arm1176.part, 0xb76U);
  EXPECT_EQ(arm1176.find("instructions")->number, 0x07);
  EXPECT_EQ(arm1176.find("cycles")->number, 0xff);
  EXPECT_EQ(arm1176.find("stalled-cycles-frontend")->number, 0x01);
  EXPECT_EQ(arm1176.find("branch-misses")->number, 0x06);
  EXPECT_EQ(arm1176.find("main-tlb-misses")->number, 0x0f);
  for (const char* name : {"cortex-a7", "cortex-a15", "cortex-a53", "cortex-a57", "cortex-a72"}) {
    const CoreEvents later = core(name);
    EXPECT_EQ(later.find("instructions")->number, 0x08) << name;
    EXPECT_EQ(later.find("cycles")->number, 0x11) << name;
    EXPECT_EQ(later.find("branch-misses")->number, 0x10) << name;
    EXPECT_EQ(later.find("l1d_cache_refill")->number, 0x03) << name;
    EXPECT_EQ(later.find("l2d_cache")->number, 0x16) << name;
  }
  EXPECT_EQ(core("cortex-a53").find("branches")->number, 0x0c);
  EXPECT_EQ(core("cortex-a15").find("branches")->number, 0x76);
  EXPECT_EQ(core("cortex-a57").find("L1-dcache-load-misses")->number, 0x42);
}

// ARM DDI 0487, D13: the common events below 0x40. The manuals of these cores have loads as events
// of their own (0x40, 0x42), which the kernel's generic mapping does not use.
TEST(CoreEvents, CoresSinceArmv82HaveTheArchitecturesNumbers) {
  for (const char* name : {"cortex-a55", "cortex-a76", "cortex-a78", "cortex-x1", "neoverse-n1",
                           "neoverse-n2", "neoverse-v1", "neoverse-v2"}) {
    const CoreEvents events = core(name);
    const std::pair<const char*, std::uint16_t> numbers[] = {
        {"cycles", 0x11},          {"instructions", 0x08},
        {"branch-misses", 0x10},   {"br_retired", 0x21},
        {"cache-misses", 0x03},    {"stalled-cycles-frontend", 0x23},
        {"L1-dcache-loads", 0x40}, {"stalled-cycles-backend", 0x24},
        {"LLC-loads", 0x36},       {"LLC-load-misses", 0x37},
        {"l2d_cache", 0x16},       {"dtlb_walk", 0x34}};
    for (const auto& [event, number] : numbers) {
      ASSERT_NE(events.find(event), nullptr) << name << ' ' << event;
      EXPECT_EQ(events.find(event)->number, number) << name << ' ' << event;
    }
    EXPECT_EQ(events.find("chain"), nullptr) << name << ": tacho does not pair counters";
  }
  EXPECT_EQ(core("cortex-a55").find("branches")->number, 0x0c);
  EXPECT_EQ(core("cortex-a76").find("branches")->number, 0x21);
  EXPECT_EQ(core("cortex-a76").find("dTLB-load-misses")->number, 0x4c);
  EXPECT_EQ(core("cortex-a55").find("dTLB-load-misses")->number, 0x05);
  EXPECT_EQ(core("neoverse-v2").find("sve_inst_spec")->number, 0x8006);
  EXPECT_EQ(core("cortex-a76").find("op_spec"), nullptr) << "not in its manual";
  EXPECT_EQ(core("cortex-a78").find("op_spec")->number, 0x3b);
}

// On these cores, numbers from 0x40 on mean something else than on later ones. ARM DDI 0344K, 3.2;
// ARM DDI 0388I, 11.4; and the kernel's perf_event_v7.c.
TEST(CoreEvents, CortexA5A8AndA9HaveNumbersOfTheirOwn) {
  const CoreEvents a8 = core("cortex-a8");
  EXPECT_EQ(a8.find("instructions")->number, 0x08);
  EXPECT_EQ(a8.find("LLC-loads")->number, 0x43);
  EXPECT_EQ(a8.find("LLC-load-misses")->number, 0x44);
  EXPECT_EQ(a8.find("L1-icache-loads")->number, 0x50);
  EXPECT_EQ(a8.find("stalled-cycles-frontend")->number, 0x56);
  EXPECT_EQ(a8.find("l1d_cache_rd"), nullptr) << "0x40 is a full write buffer";
  EXPECT_THAT(a8.find(0x40)->means, HasSubstr("write buffer"));
  EXPECT_EQ(a8.find("ld_spec"), nullptr) << "0x70 is an external input";
  const CoreEvents a9 = core("cortex-a9");
  EXPECT_EQ(a9.find("instructions")->number, 0x68);
  EXPECT_THAT(a9.find("instructions")->caveat, HasSubstr("approximation"));
  EXPECT_EQ(a9.find(0x08), nullptr);
  EXPECT_EQ(a9.find(0x0e), nullptr);
  EXPECT_EQ(a9.find("stalled-cycles-frontend")->number, 0x60);
  EXPECT_EQ(a9.find("stalled-cycles-backend")->number, 0x66);
  const CoreEvents a5 = core("cortex-a5");
  EXPECT_EQ(a5.find("instructions")->number, 0x08);
  EXPECT_EQ(a5.find("L1-icache-loads")->number, 0x14);
  EXPECT_EQ(a5.find("prefetch_linefill")->number, 0xc2);
  EXPECT_EQ(a5.find(0xc6), nullptr) << "reserved";
}

// A conditional branch that is not taken does not change the program counter.
TEST(CoreEvents, BranchesThatAreOnlyTakenOnesSaySo) {
  for (const char* name :
       {"cortex-a5", "cortex-a7", "cortex-a8", "cortex-a9", "cortex-a53", "cortex-a55"}) {
    EXPECT_EQ(core(name).find("branches")->number, 0x0c) << name;
    EXPECT_THAT(core(name).find("branches")->caveat, HasSubstr("taken branches only")) << name;
  }
}

// docs/how-to/count-with-arm-registers.md has this table. Only the first Raspberry Pi has all rows
// by events of the same meaning; since ARMv8.2, 0x2d is the refill of the TLB behind the first
// level.
TEST(CoreEvents, RpistatsRowsHaveTheseEvents) {
  for (const char* name : {"cortex-a5", "cortex-a7", "cortex-a8", "cortex-a9", "cortex-a15",
                           "cortex-a53", "cortex-a57", "cortex-a72"})
    EXPECT_EQ(core(name).find("main-tlb-misses"), nullptr) << name;
  for (const char* name :
       {"cortex-a5", "cortex-a7", "cortex-a15", "cortex-a53", "cortex-a57", "cortex-a72"})
    EXPECT_EQ(core(name).find("stalled-cycles-frontend"), nullptr) << name;
  for (const char* name : {"cortex-a55", "cortex-a76", "cortex-a78", "cortex-x1", "neoverse-n1",
                           "neoverse-n2", "neoverse-v1", "neoverse-v2"})
    EXPECT_EQ(core(name).find("main-tlb-misses")->number, 0x2d) << name;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TACHO_SOURCE_DIR) + "/data/events"))
    for (const char* row : {"instructions", "l1d_cache", "l1d_cache_refill", "l1d_tlb_refill",
                            "branches", "branch-misses"})
      EXPECT_NE(load_core_events(entry.path())->find(row), nullptr) << entry.path() << ' ' << row;
}

TEST(CoreEvents, Arm1176HasACaveatForItsCacheAccesses) {
  const CoreEvents arm1176 = core("arm1176");
  EXPECT_THAT(arm1176.find("l1d_cache")->caveat, HasSubstr("non-sequential accesses only"));
  EXPECT_THAT(arm1176.find("L1-dcache-loads")->caveat, HasSubstr("non-sequential accesses only"));
}

TEST(CoreEvents, FindsByAnyNameOrNumber) {
  const CoreEvents a7 = core("cortex-a7");
  EXPECT_EQ(a7.find("CID_WRITE_RETIRED"), a7.find(0x0b));
  EXPECT_EQ(a7.find("branch_mispred"), a7.find("br_mis_pred")) << "libpfm4's name";
  EXPECT_EQ(a7.find("no-such"), nullptr);
  EXPECT_EQ(a7.find(0xfff), nullptr);
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_core_events(text, "core.toml");
  return parsed ? "" : parsed.error().what;
}

TEST(CoreEvents, ErrorsNameFileAndLine) {
  const std::string head =
      "name = \"X\"\nimplementer = 0x41\npart = 0x123\narchitecture = \"armv7\"\nsource = \"s\"\n";
  EXPECT_EQ(error_of(head + "events = [{name = \"a\", number = 1, means = \"m\"}]\n"), "");
  EXPECT_THAT(error_of(head), HasSubstr("no events"));
  EXPECT_THAT(error_of(head + "events = [{name = \"a\", means = \"m\"}]\n"),
              HasSubstr("core.toml:6: 'number' is missing"));
  EXPECT_THAT(error_of(head + "events = [{name = \"a\", number = 70000, means = \"m\"}]\n"),
              HasSubstr("not a number from 0 to 0xffff"));
  EXPECT_THAT(error_of(head + "events = [{name = \"a\", number = 1, means = \"m\", alsos = []}]\n"),
              HasSubstr("unknown key 'alsos'"));
  EXPECT_THAT(error_of(head + "events = [{name = \"a\", number = 1, means = \"m\"},\n"
                              "{name = \"A\", number = 2, means = \"m\"}]\n"),
              HasSubstr("core.toml:7: the event 'A' or its number is given twice"));
  EXPECT_THAT(
      error_of(head + "events = [{name = \"a\", number = 1, means = \"m\", also = [\"b\"]},\n"
                      "{name = \"c\", number = 2, means = \"m\", also = [\"B\"]}]\n"),
      HasSubstr("the name 'B' is given twice"));
  EXPECT_THAT(
      error_of(head + "events = [{name = \"a\", number = 1, means = \"m\", also = [\"A\"]}]\n"),
      HasSubstr("the name 'A' is given twice"));
  std::string other = head;
  other.replace(other.find("armv7"), 5, "x86");
  EXPECT_THAT(error_of(other + "events = 1\n"), HasSubstr("none of armv6, armv7 and aarch64"));
  EXPECT_THAT(error_of("= ="), HasSubstr("core.toml:1"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
