// Which events are sampled each time by default.
#include "record/default_periods.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace tacho::TEST_FILE {
namespace {

std::optional<std::uint64_t> period_of(std::uint32_t type, std::uint64_t config,
                                       const SamplingTerms& asked = {}) {
  EventGroup group(2);
  group[1].type = type;
  group[1].config = config;
  group[1].sampling = asked;
  sample_rare_events_each_time({&group, 1});
  return group[1].sampling.period;
}

TEST(DefaultPeriods, RareEventsAreSampledEachTime) {
  for (const std::uint64_t config :
       {PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
        PERF_COUNT_SW_ALIGNMENT_FAULTS, PERF_COUNT_SW_EMULATION_FAULTS})
    EXPECT_EQ(period_of(PERF_TYPE_SOFTWARE, config), 1U) << config;
  EXPECT_EQ(period_of(PERF_TYPE_TRACEPOINT, 314), 1U);
  EXPECT_EQ(period_of(PERF_TYPE_BREAKPOINT, 0), 1U);
}

TEST(DefaultPeriods, ClocksFaultsThatAreFrequentAndHardwareAreSampledByFrequency) {
  for (const std::uint64_t config : {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
                                     PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN})
    EXPECT_EQ(period_of(PERF_TYPE_SOFTWARE, config), std::nullopt) << config;
  EXPECT_EQ(period_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES), std::nullopt);
}

TEST(DefaultPeriods, TheTermsOfAnEventGoFirst) {
  EXPECT_EQ(period_of(PERF_TYPE_TRACEPOINT, 314, {.period = 100, .frequency = {}}), 100U);
  EXPECT_EQ(period_of(PERF_TYPE_TRACEPOINT, 314, {.period = {}, .frequency = 50}), std::nullopt);
}

}  // namespace
}  // namespace tacho::TEST_FILE
