// Estimates on unequal cores. The made-up runs know the truth: the fast cores' event happens twice
// per reference cycle of theirs, the slow cores' event three times in 10 of theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "estimate/summarise.hpp"
#include "stats/merge_rounds.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kFastRate = 2.0;
constexpr double kSlowRate = 0.3;

CountedEvent part(const char* pmu, const char* name, Duty duty, std::size_t set, std::size_t slot) {
  CountedEvent event;
  event.name = std::string(pmu) + "/" + name + "/";
  event.core_pmu = pmu;
  event.part_of = name;
  event.duty = duty;
  event.set = set;
  event.slot = slot;
  return event;
}

// A task that spent `on_fast` of its CPU time on the fast cores. Both lanes have two sets; `x` is
// in the first set of each. The period's share of the lane's cores changes from turn to turn.
Measurement run_on_both(double on_fast, std::uint32_t rounds = 60) {
  Measurement m;
  m.workload.elapsed_s = rounds * 2e-2;
  m.lanes = {{.pmu = "fast", .cpus = "0-3", .reference = "fast/cycles/", .counters = {}},
             {.pmu = "slow", .cpus = "4-7", .reference = "slow/cycles/", .counters = {}}};
  m.lane_of_set = {0, 0, 1, 1};
  m.sets = 4;
  m.lanes_are_all = true;
  m.events = {part("fast", "x", Duty::turned, 0, 0), part("slow", "x", Duty::turned, 2, 0),
              part("fast", "cycles", Duty::always, 0, 0),
              part("slow", "cycles", Duty::always, 0, 1)};
  constexpr std::uint64_t kPeriodNs = 10'000'000;
  for (std::uint32_t turn = 0; turn < 2 * rounds; ++turn) {
    const double wave = 1 + 0.5 * std::sin(turn * 0.7);
    const double fast_part = std::min(1.0, on_fast * wave);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
      const double here = lane == 0 ? fast_part : 1 - fast_part;
      Period period;
      period.round = turn / 2;
      period.set = 2 * lane + turn % 2;
      period.enabled_ns = kPeriodNs;
      period.running_ns = static_cast<std::uint64_t>(here * kPeriodNs);
      period.reference = static_cast<std::uint64_t>(here * (lane == 0 ? 30'000 : 10'000));
      const double rate = lane == 0 ? kFastRate : kSlowRate;
      period.counts = {
          turn % 2 == 0 ? static_cast<std::uint64_t>(rate * static_cast<double>(period.reference))
                        : 7};
      m.lanes[lane].reference_total += period.reference;
      m.lanes[lane].enabled_ns += period.enabled_ns;
      m.lanes[lane].running_ns += period.running_ns;
      m.periods.push_back(period);
    }
  }
  for (const Lane& lane : m.lanes) {
    m.always.push_back(lane.reference_total);
    m.always_running.push_back(lane.share());
  }
  return m;
}

const EventSummary& of(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.events, name, &EventSummary::name);
  EXPECT_NE(found, summary.events.end()) << name;
  return *found;
}

TEST(UnequalCores, EachPartIsScaledByItsOwnCoresAlone) {
  const Measurement m = run_on_both(0.3);
  const Summary s = summarise(m, {});
  const double fast = kFastRate * static_cast<double>(m.lanes[0].reference_total);
  const double slow = kSlowRate * static_cast<double>(m.lanes[1].reference_total);
  EXPECT_NEAR(*of(s, "fast/x/").estimate / fast, 1, 0.001);
  EXPECT_NEAR(*of(s, "slow/x/").estimate / slow, 1, 0.001);
  EXPECT_NEAR(*of(s, "x").estimate / (fast + slow), 1, 0.001);
  EXPECT_THAT(s.warnings, IsEmpty()) << "time on other cores is not a disturbance";
}

TEST(UnequalCores, TheSumStandsBeforeItsPartsAndHasAnIntervalOfItsOwn) {
  Measurement m = run_on_both(0.5);
  for (std::size_t i = 0; i < m.periods.size(); ++i)  // noise, which the intervals are of
    if (m.periods[i].set % 2 == 0)
      m.periods[i].counts[0] +=
          static_cast<std::uint64_t>(2000 * (1 + std::sin(static_cast<double>(i) * 1.3)));
  const Summary s = summarise(m, {});
  ASSERT_EQ(s.events.size(), 6U);
  EXPECT_EQ(s.events[0].name, "x");
  EXPECT_EQ(s.events[1].part_of, "x");
  EXPECT_EQ(s.events[2].pmu, "slow");
  EXPECT_EQ(*s.events[0].estimate, *s.events[1].estimate + *s.events[2].estimate);
  EXPECT_EQ(*s.events[0].count, *s.events[1].count + *s.events[2].count);
  const double apart = std::hypot(*s.events[1].ci95, *s.events[2].ci95);
  EXPECT_NEAR(*s.events[0].ci95 / apart, 1, 0.35)
      << "the parts' errors do not depend on each other";
  EXPECT_EQ(s.events[0].status, Status::estimated);
}

TEST(UnequalCores, TimeOnOtherCoresIsNotCoveredAndNeverExtrapolated) {
  const Measurement m = run_on_both(0.3);
  const Summary s = summarise(m, {});
  const EventSummary& fast = of(s, "fast/cycles/");
  EXPECT_EQ(fast.status, Status::counted);
  EXPECT_EQ(*fast.estimate, static_cast<double>(m.lanes[0].reference_total));
  EXPECT_EQ(*fast.ci95, 0);
  EXPECT_NEAR(fast.share, 0.3, 0.02);
  EXPECT_THAT(fast.reason, HasSubstr("on fast (CPUs 0-3): 3"));
  EXPECT_NEAR(of(s, "cycles").share, 1, 1e-6);
  EXPECT_EQ(of(s, "cycles").reason, "");
}

TEST(UnequalCores, MetricsUseTheSums) {
  const Measurement m = run_on_both(0.3);
  const Metric metric{"x per cycle", *Formula::parse("x / cycles"), "", ""};
  const Summary s = summarise(m, std::vector{metric});
  ASSERT_EQ(s.metrics.size(), 1U);
  const double x = kFastRate * static_cast<double>(m.lanes[0].reference_total) +
                   kSlowRate * static_cast<double>(m.lanes[1].reference_total);
  const auto cycles = static_cast<double>(m.lanes[0].reference_total + m.lanes[1].reference_total);
  EXPECT_NEAR(*s.metrics[0].value, x / cycles, 0.001);
  EXPECT_TRUE(s.metrics[0].ci95);
}

TEST(UnequalCores, AProgramThatWasNeverOnTheseCoresCountsZeroIfTheOthersCountedAllTheTime) {
  Measurement m = run_on_both(1.0);  // fast_part is at least 0.5
  for (Period& period : m.periods)
    if (period.set > 1) period.reference = period.running_ns = period.counts[0] = 0;
  m.lanes[0].running_ns = m.lanes[0].enabled_ns;
  m.lanes[1].running_ns = m.lanes[1].reference_total = m.always[1] = 0;
  m.always_running = {1, 0};
  Summary s = summarise(m, {});
  for (const char* name : {"slow/x/", "slow/cycles/"}) {
    EXPECT_EQ(of(s, name).status, Status::counted);
    EXPECT_EQ(of(s, name).count, 0);
    EXPECT_EQ(of(s, name).share, 0);
  }
  EXPECT_EQ(*of(s, "x").estimate, *of(s, "fast/x/").estimate);
  m.lanes_are_all = false;  // then another program may hold the PMU
  s = summarise(m, {});
  EXPECT_EQ(of(s, "slow/cycles/").status, Status::failed);
  EXPECT_FALSE(of(s, "slow/cycles/").count);
  EXPECT_THAT(of(s, "slow/cycles/").reason, HasSubstr("or another program uses the PMU"));
}

TEST(UnequalCores, IfOnePmuLacksTheEventThereIsNoSum) {
  Measurement m = run_on_both(0.5);
  m.events[1].duty = Duty::unsupported;
  m.events[1].reason = "this PMU does not have the event";
  const Summary s = summarise(m, {});
  EXPECT_FALSE(of(s, "x").estimate);
  EXPECT_EQ(of(s, "x").status, Status::unsupported);
  EXPECT_EQ(of(s, "x").reason, "no sum without slow: this PMU does not have the event");
  EXPECT_TRUE(of(s, "fast/x/").estimate);
}

TEST(UnequalCores, ASetThatHadFewerCountersThanItsReferenceIsDisturbed) {
  Measurement m = run_on_both(0.5);
  for (Period& period : m.periods)
    if (period.set < 2) {
      period.running_ns /= 2;
      period.reference /= 2;
    }
  EXPECT_THAT(summarise(m, {}).warnings, Contains(HasSubstr("there was no counter for fast/x/")));
}

TEST(UnequalCores, OnACpuOfOneKindTheSumIsItsPartAlone) {
  Measurement m = run_on_both(1.0);
  m.workload.every_cpu = true;
  m.events[1].duty = m.events[3].duty = Duty::elsewhere;
  m.always_running = {1, 1};
  m.periods.erase(std::remove_if(m.periods.begin(), m.periods.end(),
                                 [](const Period& period) { return period.set > 1; }),
                  m.periods.end());
  const Metric metric{"x per cycle", *Formula::parse("x / cycles"), "", ""};
  const Summary s = summarise(m, std::vector{metric});
  EXPECT_EQ(*of(s, "x").estimate, *of(s, "fast/x/").estimate);
  EXPECT_EQ(*of(s, "cycles").estimate, *of(s, "fast/cycles/").estimate);
  EXPECT_NEAR(*s.metrics[0].value, kFastRate, 0.01);
}

TEST(UnequalCores, EachLaneMergesItsOwnRounds) {
  const Measurement made = run_on_both(0.4, 50);
  Measurement m = made;
  m.periods.clear();
  for (const Period& period : made.periods) {
    Period own = period;
    if (own.set > 1) own.round = 3 * own.round + 1;  // lanes do not begin rounds together
    add_period(m, own, 100);
  }
  EXPECT_GT(m.merge_factor, 1U);
  for (const std::uint32_t set : {0U, 1U, 2U, 3U}) {
    const auto sum = [set](const Measurement& of) {
      std::uint64_t total = 0;
      for (const Period& period : of.periods)
        if (period.set == set) total += period.counts[0];
      return total;
    };
    EXPECT_EQ(sum(m), sum(made));
    std::map<std::uint32_t, int> rounds;
    for (const Period& period : m.periods)
      if (period.set == set) ++rounds[period.round];
    for (const auto& [round, periods] : rounds) EXPECT_EQ(periods, 1) << round;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
