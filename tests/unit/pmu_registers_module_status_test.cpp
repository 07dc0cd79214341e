// Tests the status of the module tacho_pmu, and the conclusions from it.
#include "doctor/examine_registers.hpp"
#include "events_made_up_tree.hpp"
#include "pmu/registers/module_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace tacho::arm::TEST_FILE {
namespace {

using testing::HasSubstr;

constexpr const char* kText =
    "interface 1\nmodule 0.1.0\narchitecture aarch64\naccess all\nsomething new\n"
    "cpu 0 state=on counters=6 counting=yes perf=0x00000000 disturbed=3 more=5\n"
    "cpu 1 state=offline\n"
    "cpu 2 state=perf counters=6 counting=yes perf=0x80000001 disturbed=1\n"
    "cpu 3 state=no-pmu\n"
    "cpu 4 state=on counters=2 counting=no perf=unknown disturbed=0\n";

TEST(ArmStatus, HasTheModuleAndTheCpus) {
  const auto status = parse_status(kText);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(status->module, "0.1.0");
  EXPECT_EQ(status->architecture, Architecture::aarch64);
  EXPECT_TRUE(status->all);
  ASSERT_EQ(status->cpus.size(), 5U);
  EXPECT_EQ(status->of(0)->counters, 6);
  EXPECT_EQ(status->of(0)->disturbed, 3U);
  EXPECT_TRUE(status->of(0)->counting);
  EXPECT_FALSE(status->of(4)->counting);
  EXPECT_EQ(status->of(5), nullptr);
}

TEST(ArmStatus, GivesTheReasonWhyACpuCantCount) {
  const auto status = parse_status(kText);
  EXPECT_FALSE(objection(*status, 0));
  EXPECT_THAT(objection(*status, 1)->what, HasSubstr("CPU 1 can't be used: it is offline"));
  EXPECT_THAT(objection(*status, 2)->what, HasSubstr("perf holds its counters"));
  EXPECT_THAT(objection(*status, 3)->what, HasSubstr("no performance counters"));
  EXPECT_THAT(objection(*status, 4)->what, HasSubstr("do not count"));
  EXPECT_THAT(objection(*status, 4)->remedy, HasSubstr("ARM1176"));
  EXPECT_THAT(objection(*status, 9)->what, HasSubstr("knows no CPU 9"));
}

TEST(ArmStatus, TheCycleCounterAloneIsNotEnough) {
  const auto status =
      parse_status("interface 1\narchitecture armv7\naccess cycles\ncpu 0 state=on counters=4\n");
  EXPECT_THAT(objection(*status, 0)->what, HasSubstr("access=cycles"));
  EXPECT_THAT(objection(*status, 0)->remedy, HasSubstr("access=all"));
}

TEST(ArmStatus, TheErrorForAnotherInterfaceGivesWhichPartIsTooOld) {
  const auto newer = parse_status("interface 2\nwhatever=this is\n");
  EXPECT_THAT(newer.error().what, HasSubstr("too new for this tacho: its interface is 2, not 1"));
  EXPECT_THAT(parse_status("interface 0\n").error().what, HasSubstr("too old"));
}

TEST(ArmStatus, DamagedTextIsAnError) {
  for (const char* text :
       {"", "module 0.1.0\n", "interface one\n", "interface 1\n", "interface 1\narchitecture x86\n",
        "interface 1\narchitecture armv7\ncpu x state=on\n",
        "interface 1\narchitecture armv7\ncpu 0 counters=4\n",
        "interface 1\narchitecture armv7\ncpu 0 state=on counters=400\n",
        "interface 1\narchitecture armv7\ncpu 0 state=on disturbed=-1\n"}) {
    const auto status = parse_status(text);
    ASSERT_FALSE(status) << text;
    EXPECT_THAT(status.error().what, HasSubstr("is damaged"));
    EXPECT_FALSE(status.error().remedy.empty());
  }
}

TEST(ArmStatusFile, TheErrorForAMissingFileNamesTheModuleAndTheRemedy) {
  const auto file = StatusFile::open("/proc/no-such-file");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ENOENT);
  EXPECT_THAT(file.error().what, HasSubstr("tacho_pmu is not loaded"));
  EXPECT_THAT(file.error().remedy, HasSubstr("modprobe tacho_pmu"));
}

TEST(ArmStatusFile, HasOneUserAtATimeAndIsReadAgain) {
  const MadeUpTree tree;
  const std::string path = tree.path("status");
  tree.write("status", kText);
  {
    const auto file = StatusFile::open(path);
    ASSERT_TRUE(file);
    EXPECT_THAT(StatusFile::open(path).error().what, HasSubstr("another tacho"));
    EXPECT_EQ(file->read()->of(0)->disturbed, 3U);
    tree.write("status", "interface 1\narchitecture armv7\ncpu 0 state=on disturbed=4\n");
    EXPECT_EQ(file->read()->of(0)->disturbed, 4U);
  }
  EXPECT_TRUE(StatusFile::open(path));
}

TEST(ArmFinding, HasEveryCpuAndThePreferredPmu) {
  const auto status = parse_status(kText);
  const Finding beside = judge_status(status, true);
  EXPECT_EQ(beside.verdict, Verdict::ok);
  EXPECT_THAT(beside.detail,
              HasSubstr("tacho_pmu 0.1.0 (aarch64): CPU 0: on, 6 counters, disturbed 3 times"));
  EXPECT_THAT(beside.detail, HasSubstr("CPU 1: offline"));
  EXPECT_THAT(beside.detail, HasSubstr("perf_event counts too, and is to be preferred"));
  EXPECT_THAT(judge_status(status, false).detail, HasSubstr("--pmu arm-registers"));
}

TEST(ArmFinding, WarnsIfNothingCounts) {
  const auto dummies = parse_status(
      "interface 1\narchitecture armv6\naccess all\ncpu 0 state=on counters=2 counting=no\n");
  const Finding finding = judge_status(dummies, false);
  EXPECT_EQ(finding.verdict, Verdict::warning);
  EXPECT_THAT(finding.detail, HasSubstr("do not count"));
  EXPECT_FALSE(finding.remedy.empty());
  EXPECT_EQ(judge_status(std::unexpected(not_loaded(kStatusPath)), false).verdict,
            Verdict::warning);
  EXPECT_EQ(judge_status(std::unexpected(not_loaded(kStatusPath)), true).verdict, Verdict::ok)
      << "nobody needs it then";
}

}  // namespace
}  // namespace tacho::arm::TEST_FILE
