// Tests the words of `tacho doctor` on the watchdog and on the number of counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/examine_core.hpp"
#include "doctor/examine_watchdog.hpp"
#include "measure_fake_pmu.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;

// Lines of the configurations of Debian's Linux 6.1 and of a Linux 6.6 for arm64 with
// HARDLOCKUP_DETECTOR_PREFER_BUDDY.
constexpr const char* kPerf =
    "CONFIG_SOFTLOCKUP_DETECTOR=y\nCONFIG_HARDLOCKUP_DETECTOR_PERF=y\nCONFIG_HARDLOCKUP_DETECTOR="
    "y\n";
constexpr const char* kBuddy =
    "CONFIG_HARDLOCKUP_DETECTOR=y\nCONFIG_HARDLOCKUP_DETECTOR_PREFER_BUDDY=y\n"
    "# CONFIG_HARDLOCKUP_DETECTOR_PERF is not set\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\n";

TEST(DoctorWatchdog, TheBuddyDetectorHoldsNoCounter) {
  EXPECT_EQ(lockup_detector(kBuddy), LockupDetector::buddy);
  const Finding found = judge_watchdog("1", LockupDetector::buddy, true);
  EXPECT_EQ(found.verdict, Verdict::ok);
  EXPECT_THAT(found.detail, HasSubstr("takes no counter"));
  EXPECT_EQ(found.remedy, "");
}

TEST(DoctorWatchdog, ThatOfPerfEventsHoldsOne) {
  EXPECT_EQ(lockup_detector(kPerf), LockupDetector::counter);
  const Finding found = judge_watchdog("1", LockupDetector::counter, true);
  EXPECT_EQ(found.verdict, Verdict::warning);
  EXPECT_EQ(found.detail, "on: it holds one counter of every CPU");
  EXPECT_THAT(found.remedy, HasSubstr("kernel.nmi_watchdog=0"));
}

TEST(DoctorWatchdog, WithoutAConfigurationItIsNotCertain) {
  EXPECT_EQ(lockup_detector(""), LockupDetector::unknown);
  EXPECT_THAT(judge_watchdog("1", LockupDetector::unknown, true).detail,
              HasSubstr("unless this kernel has the buddy detector"));
}

TEST(DoctorWatchdog, OffOrWithoutAPmuItIsNoFinding) {
  EXPECT_EQ(judge_watchdog("0", LockupDetector::counter, true).detail, "off");
  EXPECT_EQ(judge_watchdog("1", LockupDetector::counter, false).verdict, Verdict::ok);
}

TEST(DoctorCounters, AreTriedWithAnEventThatHasNoFixedCounter) {
  FakePmu skylake;  // four general counters
  skylake.fixed = {"cycles", "instructions"};
  const CounterTrial trial = try_counters(skylake, "");
  EXPECT_EQ(trial.beside_cycles, 4) << "and not five";
  EXPECT_EQ(trial.alone, 4);
  FakePmu zen2;
  zen2.counters = 6;
  EXPECT_EQ(try_counters(zen2, "").beside_cycles, 5);
  EXPECT_EQ(try_counters(zen2, "").alone, 6);
}

TEST(DoctorCounters, WithoutSuchAnEventInstructionsAreTried) {
  FakePmu few;
  few.refused = {"branch-misses", "cache-misses", "branches", "bus-cycles"};
  few.fixed = {"cycles"};
  EXPECT_EQ(try_counters(few, "").event, "instructions");
  EXPECT_EQ(try_counters(few, "").beside_cycles, 4);
}

// A Skylake has 4 general counters with hyper-threading, and cycles have a fixed counter.
TEST(DoctorCounters, AFixedCounterIsNoGeneralOne) {
  EXPECT_EQ(
      counters_found({.alone = 4, .beside_cycles = 4, .event = "branch-misses"}),
      "4 beside cycles, found by opening copies of branch-misses; cycles has a counter of its "
      "own");
  // A Zen 2 has 6 general counters and no fixed ones.
  EXPECT_THAT(counters_found({.alone = 6, .beside_cycles = 5, .event = "branch-misses"}),
              HasSubstr("cycles takes one of these counters"));
  EXPECT_THAT(counters_found({.alone = 7, .beside_cycles = 6, .event = "instructions"}),
              HasSubstr("one may be a counter for this event alone"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
