// Tests the lists of ARM cores' events.
#include "events/core_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace tacho {
namespace {

using testing::HasSubstr;

CoreEvents core(const std::string& name) {
  auto loaded = load_core_events(std::string(TACHO_SOURCE_DIR) + "/data/events/" + name + ".toml");
  EXPECT_TRUE(loaded) << loaded.error().what;
  return loaded.value_or(CoreEvents());
}

TEST(CoreEvents, EveryShippedFileIsValid) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TACHO_SOURCE_DIR) + "/data/events")) {
    const auto loaded = load_core_events(entry.path());
    ASSERT_TRUE(loaded) << loaded.error().what;
    for (const char* name : {"cycles", "instructions", "branches", "branch-misses",
                             "L1-dcache-loads", "L1-dcache-load-misses", "iTLB-load-misses"})
      EXPECT_NE(loaded->find(name), nullptr) << entry.path() << " has no " << name;
    ++files;
  }
  EXPECT_EQ(files, 6);
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
  std::string other = head;
  other.replace(other.find("armv7"), 5, "x86");
  EXPECT_THAT(error_of(other + "events = 1\n"), HasSubstr("none of armv6, armv7 and aarch64"));
  EXPECT_THAT(error_of("= ="), HasSubstr("core.toml:1"));
}

}  // namespace
}  // namespace tacho
