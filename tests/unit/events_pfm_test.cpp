// Tests libpfm4's names. The Intel encodings are the architectural events of the Software
// Developer's Manual, volume 3, section "Architectural Performance Monitoring": event and unit
// mask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

// Lets libpfm4 encode events of other processors. It reads this variable when it starts.
const bool kInactive = ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1) == 0;

#if defined(__x86_64__)
TEST(EventsPfm, EncodesIntelsArchitecturalEvents) {
  ASSERT_TRUE(kInactive);
  const MadeUpTree tree;
  const auto config = [&](const char* spec) {
    const auto event = tree.catalogue().resolve(spec);
    EXPECT_TRUE(event) << event.error().what;
    if (!event) return std::uint64_t{0};
    EXPECT_EQ(event->type, 4U);
    EXPECT_EQ(event->domain, Domain::core);
    return event->config;
  };
  EXPECT_EQ(config("skl::UNHALTED_CORE_CYCLES"), 0x003cU);
  EXPECT_EQ(config("skl::INST_RETIRED:ANY_P"), 0x00c0U);
  EXPECT_EQ(config("skl::LONGEST_LAT_CACHE:REFERENCE"), 0x4f2eU);
  EXPECT_EQ(config("skl::LONGEST_LAT_CACHE:MISS"), 0x412eU);
  EXPECT_EQ(config("skl::BR_INST_RETIRED:ALL_BRANCHES"), 0x00c4U);
  EXPECT_EQ(config("skl::BR_MISP_RETIRED:ALL_BRANCHES"), 0x00c5U);
  EXPECT_EQ(config("skl::UNHALTED_CORE_CYCLES:c=2:i"), 0x0280003cU);  // counter mask, invert
}

TEST(EventsPfm, AcceptsItsOwnModifiersAndPerfs) {
  const Catalogue catalogue = MadeUpTree().catalogue();
  EXPECT_TRUE(catalogue.resolve("skl::INST_RETIRED:ANY_P")->any_level);
  for (const char* spec : {"skl::INST_RETIRED:ANY_P:u", "skl::INST_RETIRED:ANY_P:u=1:k=0",
                           "skl::INST_RETIRED:ANY_P:up"}) {
    const auto event = catalogue.resolve(spec);
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->name, spec);
    EXPECT_FALSE(event->any_level);
    EXPECT_FALSE(event->exclude_user);
    EXPECT_TRUE(event->exclude_kernel);
    EXPECT_TRUE(event->exclude_hv);
  }
  EXPECT_EQ(catalogue.resolve("skl::INST_RETIRED:ANY_P:up")->precise, 1);
  EXPECT_FALSE(catalogue.resolve("skl::INST_RETIRED:ANY_P:u:k")->exclude_kernel);
}

TEST(EventsPfm, AWrongUnitMaskAndAnUnknownEventHaveDifferentErrors) {
  const auto event = MadeUpTree().catalogue().resolve("skl::INST_RETIRED:NO_SUCH_MASK");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().what, HasSubstr("invalid event attribute"));
}

TEST(EventsPfm, AnotherMachinesPmuIsNamed) {
  // No machine is both.
  const auto skl = MadeUpTree().catalogue().resolve("skl::NO_SUCH_EVENT");
  const auto snb = MadeUpTree().catalogue().resolve("snb::NO_SUCH_EVENT");
  ASSERT_FALSE(skl);
  ASSERT_FALSE(snb);
  EXPECT_THAT(skl.error().what + snb.error().what, HasSubstr("this machine's PMU is not s"));
}
#endif

TEST(EventsPfm, KnowsTheKernelsEventsByTheirConstants) {
  const Catalogue catalogue = MadeUpTree().catalogue();
  const auto cycles = catalogue.resolve("PERF_COUNT_HW_INSTRUCTIONS:u");
  ASSERT_TRUE(cycles) << cycles.error().what;
  EXPECT_EQ(cycles->type, 0U);
  EXPECT_EQ(cycles->config, 1U);
  EXPECT_TRUE(cycles->exclude_kernel);
  const auto switches = catalogue.resolve("perf::PERF_COUNT_SW_CONTEXT_SWITCHES");
  ASSERT_TRUE(switches) << switches.error().what;
  EXPECT_EQ(switches->domain, Domain::software);
  EXPECT_TRUE(switches->counts_in_kernel);
}

TEST(EventsPfm, AnUnknownPmuIsNamed) {
  const auto event = MadeUpTree().catalogue().resolve("zzz::CYCLES");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().what, HasSubstr("no PMU 'zzz'"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
