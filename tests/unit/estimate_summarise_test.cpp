// The summary of a measurement: status, units, reasons and warnings.
#include "estimate/summarise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

CountedEvent event(std::string name, Duty duty, std::size_t slot = 0) {
  CountedEvent e;
  e.name = std::move(name);
  e.duty = duty;
  e.slot = slot;
  return e;
}

// Two sets in turns over `rounds` rounds of 1,000 reference each: `x` and `rare` in set 0.
Measurement turned(std::uint32_t rounds, std::uint64_t x, std::uint64_t rare = 0) {
  Measurement m;
  m.reference = "cycles";
  m.sets = 2;
  m.events = {event("x", Duty::turned, 0), event("rare", Duty::turned, 1)};
  for (std::uint32_t r = 0; r < rounds; ++r) {
    for (std::uint32_t set = 0; set < 2; ++set) {
      Period period;
      period.round = r;
      period.set = set;
      period.reference = 500;
      period.enabled_ns = period.running_ns = 1'000'000;
      if (set == 0) period.counts = {x + r % 3, rare};
      m.periods.push_back(period);
    }
  }
  m.reference_total = rounds * 1000;
  return m;
}

TEST(Summary, OfACountedEventIsExact) {
  Measurement m;
  m.events = {event("task-clock", Duty::always)};
  m.events[0].unit = "ns";
  m.always = {123'456};
  m.always_running = {1.0};
  const Summary s = summarise(m, {});
  EXPECT_EQ(s.events[0].status, Status::counted);
  EXPECT_EQ(s.events[0].unit, "ns");
  EXPECT_EQ(s.events[0].count, 123'456);
  EXPECT_EQ(s.events[0].estimate, 123'456);
  EXPECT_EQ(s.events[0].ci95, 0);
  EXPECT_EQ(s.events[0].share, 1);
  EXPECT_THAT(s.warnings, IsEmpty());
}

TEST(Summary, CountsInTheUnitOfTheEvent) {
  Measurement m = turned(20, 100);
  m.events[0].unit = "Joules";
  m.events[0].scale = 0.5;
  const Summary plain = summarise(turned(20, 100), {});
  const Summary scaled = summarise(m, {});
  EXPECT_DOUBLE_EQ(*scaled.events[0].count, 0.5 * *plain.events[0].count);
  EXPECT_DOUBLE_EQ(*scaled.events[0].estimate, 0.5 * *plain.events[0].estimate);
  EXPECT_DOUBLE_EQ(*scaled.events[0].ci95, 0.5 * *plain.events[0].ci95);
}

TEST(Summary, OfATurnedEventIsAnEstimateWithAnInterval) {
  const Summary s = summarise(turned(30, 100), {});
  EXPECT_EQ(s.events[0].status, Status::estimated);
  EXPECT_EQ(s.events[0].count, 30 * 101);
  EXPECT_NEAR(*s.events[0].estimate, 2 * 30 * 101, 1);  // stretches have nearly the same rate
  EXPECT_GT(s.events[0].ci95, 0);
  EXPECT_DOUBLE_EQ(s.events[0].share, 0.5);
  EXPECT_EQ(s.events[0].periods, 30U);
}

TEST(Summary, GivesNoIntervalWithTooFewPeriodsAndSaysSo) {
  const Summary s = summarise(turned(9, 100), {});
  EXPECT_TRUE(s.events[0].estimate);
  EXPECT_FALSE(s.events[0].ci95);
  EXPECT_THAT(s.events[0].reason, HasSubstr("too few periods"));
  EXPECT_THAT(s.warnings, Contains(AllOf(HasSubstr("too few periods"), HasSubstr("x and rare"))));
}

TEST(Summary, GivesABoundForAnEventThatWasNotSeen) {
  const Summary s = summarise(turned(30, 100, 0), {});
  EXPECT_EQ(s.events[1].estimate, 0);
  EXPECT_NEAR(*s.events[1].ci95, 4.32, 0.01);  // (1/2)^4.32 = 1/20
  EXPECT_THAT(s.warnings, Contains(AllOf(HasSubstr("rare"), HasSubstr("none seen"))));
  EXPECT_THAT(s.warnings, Not(Contains(HasSubstr("none seen of x"))));
}

TEST(Summary, GivesNoBoundForAnEventThatWasNotSeenIfOthersCameInBursts) {
  Measurement m = turned(30, 0, 0);
  m.periods[0].counts[0] = 5000;  // in the first turn of its set
  const Summary s = summarise(m, {});
  EXPECT_EQ(s.events[1].estimate, 0);
  EXPECT_FALSE(s.events[1].ci95);
  EXPECT_THAT(s.events[1].reason, HasSubstr("other events came in bursts"));
  EXPECT_THAT(s.warnings, Contains(AllOf(HasSubstr("rare"), HasSubstr("no bound"))));
}

TEST(Summary, WarnsOfPhasesByTheNameOfTheEvent) {
  Measurement m = turned(40, 100, 50);
  for (Period& period : m.periods)
    if (period.set == 0 && period.round >= 20) period.counts[1] *= 10;
  const Summary s = summarise(m, {});
  EXPECT_THAT(s.warnings, ElementsAre(HasSubstr("the rate of rare changed during the run")));
}

TEST(Summary, HasNoCountButAReasonForAnEventThatCouldNotBeCounted) {
  Measurement m;
  m.events = {event("cycles", Duty::unsupported), event("bus", Duty::failed)};
  m.events[0].reason = "this machine has no PMU";
  m.events[0].remedy = "use software events";
  const Summary s = summarise(m, {});
  EXPECT_EQ(s.events[0].status, Status::unsupported);
  EXPECT_EQ(s.events[1].status, Status::failed);
  for (const EventSummary& e : s.events) {
    EXPECT_FALSE(e.count || e.estimate || e.ci95);
    EXPECT_NE(e.reason, "");
  }
  EXPECT_EQ(s.events[0].remedy, "use software events");
}

TEST(Summary, ScalesACountThatTheKernelInterruptedAndSaysSo) {
  Measurement m;
  m.events = {event("cycles", Duty::always)};
  m.always = {600};
  m.always_running = {0.6};
  const Summary s = summarise(m, {});
  EXPECT_EQ(s.events[0].status, Status::estimated);
  EXPECT_EQ(s.events[0].count, 600);
  EXPECT_DOUBLE_EQ(*s.events[0].estimate, 1000);
  EXPECT_FALSE(s.events[0].ci95);
  EXPECT_THAT(s.warnings, Contains(AllOf(HasSubstr("there was no counter for cycles"))));
}

TEST(Summary, TakesACounterThatNeverRanForAFailure) {
  Measurement m = turned(20, 0);
  for (Period& period : m.periods) period.running_ns = 0;
  m.events.push_back(event("always", Duty::always));
  m.always = {0};
  m.always_running = {0.0};
  for (const EventSummary& e : summarise(m, {}).events) {
    EXPECT_EQ(e.status, Status::failed) << e.name;
    EXPECT_FALSE(e.estimate) << e.name;
    EXPECT_THAT(e.reason, HasSubstr("never ran"));
    EXPECT_NE(e.remedy, "");
  }
}

TEST(Summary, TakesASetWithoutATurnForAFailure) {
  Measurement m = turned(20, 100);
  m.events.push_back(event("late", Duty::turned));
  m.events.back().set = 1;
  std::erase_if(m.periods, [](const Period& period) { return period.set == 1; });
  const Summary s = summarise(m, {});
  EXPECT_EQ(s.events[2].status, Status::failed);
  EXPECT_THAT(s.events[2].reason, HasSubstr("no turn"));
}

TEST(Summary, KeepsTheWarningsOfTheMeasuring) {
  Measurement m = turned(30, 100, 5);
  m.warnings = {"kernel counting is forbidden"};
  EXPECT_THAT(summarise(m, {}).warnings, ElementsAre("kernel counting is forbidden"));
}

TEST(Summary, HasTheSchemasWords) {
  EXPECT_EQ(to_string(Status::counted), "counted");
  EXPECT_EQ(to_string(Status::estimated), "estimated");
  EXPECT_EQ(to_string(Status::unsupported), "unsupported");
  EXPECT_EQ(to_string(Status::failed), "failed");
}

TEST(Repeats, AreMeansOverTheRunsWithTheirInterval) {
  std::vector<Measurement> runs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    runs[i].events = {event("faults", Duty::always)};
    runs[i].always = {100 + 10 * i};
    runs[i].always_running = {1.0};
    runs[i].warnings = {"same"};
  }
  const Summary s = summarise_repeats(runs, {});
  EXPECT_EQ(s.events[0].status, Status::counted);
  EXPECT_DOUBLE_EQ(*s.events[0].estimate, 110);
  EXPECT_DOUBLE_EQ(*s.events[0].count, 110);
  EXPECT_DOUBLE_EQ(*s.events[0].minimum, 100);
  EXPECT_NEAR(*s.events[0].ci95, 4.302653 * std::sqrt((100 + 1.0 / 12) / 3), 1e-4);
  EXPECT_THAT(s.warnings, ElementsAre("same"));
}

TEST(Repeats, UseTheMeanTimeAndTheMostMemory) {
  std::vector<Measurement> runs(2);
  const auto fill = [](Workload& workload, double user, double system, std::uint64_t bytes) {
    workload.user_s = user;
    workload.system_s = system;
    workload.max_rss_bytes = bytes;
  };
  fill(runs[0].workload, 3, 0.5, 900);
  fill(runs[1].workload, 1, 1.5, 700);
  Workload usage = runs[1].workload;
  average_usage(runs, usage);
  EXPECT_DOUBLE_EQ(usage.user_s, 2);
  EXPECT_DOUBLE_EQ(usage.system_s, 1);
  EXPECT_EQ(usage.max_rss_bytes, 900U);
}

TEST(Repeats, GiveAnIntervalEvenWhenEachRunIsTooShortForOne) {
  const std::vector<Measurement> runs{turned(5, 100, 4), turned(5, 110, 4), turned(5, 90, 4)};
  const Summary s = summarise_repeats(runs, {});
  EXPECT_EQ(s.events[0].status, Status::estimated);
  EXPECT_GT(*s.events[0].ci95, 0);
  EXPECT_EQ(s.events[0].periods, 15U);
  EXPECT_THAT(s.warnings, IsEmpty());
}

TEST(Repeats, GiveABoundForAnEventThatNoRunHasSeen) {
  const std::vector<Measurement> runs{turned(20, 100, 0), turned(20, 100, 0)};
  const Summary s = summarise_repeats(runs, {});
  EXPECT_EQ(s.events[1].estimate, 0);
  EXPECT_NEAR(*s.events[1].ci95, 4.32 / 2, 0.01);
  EXPECT_THAT(s.warnings, Contains(HasSubstr("none seen")));
}

TEST(Repeats, KeepTheBoundOfAMetricWhoseEventNoRunHasSeen) {
  const std::vector<Measurement> runs{turned(20, 100, 0), turned(20, 100, 0)};
  const auto formula = Formula::parse("100 * rare / x");
  ASSERT_TRUE(formula);
  const std::vector<Metric> metrics{{"part", *formula, "", ""}};
  const double once = *summarise(runs[0], metrics).metrics[0].ci95;
  EXPECT_GT(once, 0);
  const Summary s = summarise_repeats(runs, metrics);
  EXPECT_EQ(*s.metrics[0].value, 0);
  EXPECT_NEAR(*s.metrics[0].ci95, once / 2, 1e-9);
}

// Nobody knows whether the program went on during turns, for 2 % of its cycles. Equal runs do not
// tell either: the interval still reaches from none of it to all of it.
TEST(Repeats, KeepTheUncertaintyThatAllRunsShare) {
  Measurement run = turned(20, 100);
  run.events.push_back(event("cycles", Duty::always));
  run.reference_total += 400;
  run.always = {run.reference_total};
  run.always_running = {1.0};
  run.workload.elapsed_s = 1;
  run.turning_s = 0.5;
  const std::vector<Measurement> runs(5, run);
  const auto formula = Formula::parse("x / cycles");
  ASSERT_TRUE(formula);
  const Summary s = summarise_repeats(runs, std::vector<Metric>{{"rate", *formula, "", ""}});
  const double rate = *s.events[0].estimate / (20'000 + 200);
  EXPECT_GE(*s.events[0].ci95, rate * 200);
  EXPECT_GE(*s.metrics[0].ci95, rate * 200 / 20'400);
  EXPECT_LT(*s.events[0].ci95, rate * 250);
}

TEST(Repeats, SayWhenAnEventWasCountedInSomeRunsOnly) {
  std::vector<Measurement> runs{turned(20, 100, 1), turned(20, 100, 1), turned(20, 100, 1)};
  runs[1].events[0].duty = Duty::failed;
  const Summary s = summarise_repeats(runs, {});
  EXPECT_TRUE(s.events[0].estimate);
  EXPECT_THAT(s.warnings, Contains(HasSubstr("x was counted in 2 of 3 runs")));
}

std::vector<Measurement> runs_of(const std::vector<double>& seconds,
                                 const std::vector<std::uint64_t>& counts) {
  std::vector<Measurement> runs(seconds.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].events = {event("faults", Duty::always)};
    runs[i].always = {counts[i]};
    runs[i].always_running = {1.0};
    runs[i].workload.elapsed_s = seconds[i];
  }
  return runs;
}

TEST(Repeats, WarnOfFiguresInWhichNeighboursAreAlike) {
  const std::vector<std::uint64_t> counts{5, 9, 4, 8, 5, 9, 4, 8, 5, 9};
  const auto drifting = runs_of({1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9}, counts);
  EXPECT_THAT(summarise_repeats(drifting, {}).warnings,
              ElementsAre(AllOf(HasSubstr("neighbouring runs are alike in elapsed time:"),
                                HasSubstr("in turns"))));
  const auto steady = runs_of({1.5, 1.1, 1.9, 1.2, 1.6, 1.0, 1.8, 1.3, 1.7, 1.4}, counts);
  EXPECT_THAT(summarise_repeats(steady, {}).warnings, IsEmpty());
}

// Each run has 100 faults a second, so the rate is certain although counts and times are not.
TEST(Repeats, GiveTheRateAnIntervalOfItsOwn) {
  const Summary same = summarise_repeats(runs_of({1, 3, 2, 4}, {100, 300, 200, 400}), {});
  EXPECT_LT(*same.events[0].rate_ci95, 0.5) << "that of whole numbers";
  EXPECT_GT(*same.events[0].ci95, 100);
  // By hand: the rate is 100; the residuals are 10, -10, 20 and -20, with a standard deviation of
  // √(1000 / 3). The mean time is 2.5 s, and t(3) is 3.1824.
  const Summary apart = summarise_repeats(runs_of({1, 3, 2, 4}, {110, 290, 220, 380}), {});
  EXPECT_NEAR(*apart.events[0].rate_ci95, 3.182446 * std::sqrt((1000.0 / 3 + 1.0 / 12) / 4) / 2.5,
              1e-4);
}

TEST(Summary, TheRateOfACountIsExactAndThatOfAnEstimateIsNot) {
  Measurement m = turned(30, 100, 5);
  m.workload.elapsed_s = 2;
  m.events.push_back(event("always", Duty::always));
  m.always = {7};
  m.always_running = {1.0};
  const Summary s = summarise(m, {});
  EXPECT_DOUBLE_EQ(*s.events[0].rate_ci95, *s.events[0].ci95 / 2);
  EXPECT_EQ(s.events[2].rate_ci95, 0);
}

TEST(Repeats, OfOneRunAreThatRun) {
  const std::vector<Measurement> runs{turned(30, 100, 3)};
  EXPECT_EQ(summarise_repeats(runs, {}).events[0].ci95, summarise(runs[0], {}).events[0].ci95);
}

}  // namespace
}  // namespace tacho::TEST_FILE
