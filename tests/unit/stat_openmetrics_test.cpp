// The text of --openmetrics, line by line, and the sums of intervals in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report_samples.hpp"
#include "stat/openmetrics.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

OpenMetrics metrics_of(const StatReport& report) {
  OpenMetrics metrics;
  metrics.run = "nightly";
  metrics.version = report.version;
  metrics.target = report.measurement.workload.label;
  metrics.machine = report.measurement.machine;
  metrics.elapsed_s = report.measurement.workload.elapsed_s;
  metrics.totals = whole_totals(report.summary, 1.25);
  return metrics;
}

Summary one(EventSummary event) {
  Summary summary;
  summary.events = {std::move(event)};
  return summary;
}

TEST(OpenMetrics, CountsAndClocksAreCountersWithTheirEnds) {
  const std::string text = to_openmetrics(metrics_of(samples::software()));
  EXPECT_THAT(text, AllOf(HasSubstr("# TYPE tacho_events counter\n"),
                          HasSubstr("tacho_events_total{run=\"nightly\",event=\"page-faults\"} "
                                    "24060\n"),
                          HasSubstr("tacho_events_high{run=\"nightly\",event=\"page-faults\"} "
                                    "24060\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("# TYPE tacho_cpu_seconds counter\n# UNIT tacho_cpu_seconds "
                                    "seconds\n"),
                          HasSubstr("tacho_cpu_seconds_total{run=\"nightly\",event=\"task-clock\"} "
                                    "1.2\n")));
  EXPECT_THAT(text, EndsWith("\n# EOF\n"));
}

TEST(OpenMetrics, WhatIsNotAvailableIsAbsent) {
  const std::string text = to_openmetrics(metrics_of(samples::software()));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("instructions")), Not(HasSubstr("CPI")),
                          Not(HasSubstr("tacho_metric")), Not(HasSubstr("tacho_user"))));
  const std::string turned = to_openmetrics(metrics_of(samples::turned()));
  EXPECT_THAT(turned,
              AllOf(HasSubstr("tacho_events_total{run=\"nightly\",event=\"branch-misses\"}"),
                    Not(HasSubstr("tacho_events_low{run=\"nightly\",event=\"branch-misses\"}"))));
}

TEST(OpenMetrics, OtherUnitsHaveTheirFamilies) {
  StatReport report = samples::software();
  report.summary.events = {samples::counted("power/energy-pkg/", 2.5, "Joules"),
                           samples::counted("uncore/data_reads/", 3, "MiB"),
                           samples::counted("odd/heat/", 7, "K")};
  const std::string text = to_openmetrics(metrics_of(report));
  EXPECT_THAT(text, HasSubstr("tacho_energy_joules_total{run=\"nightly\",event="
                              "\"power/energy-pkg/\"} 2.5\n"));
  EXPECT_THAT(text, HasSubstr("tacho_transferred_bytes_total{run=\"nightly\",event="
                              "\"uncore/data_reads/\"} 3145728\n"));
  EXPECT_THAT(text, HasSubstr("tacho_other_total{run=\"nightly\",event=\"odd/heat/\",unit=\"K\"} "
                              "7\n"));
}

TEST(OpenMetrics, PartsHaveFamiliesOfTheirOwn) {
  OpenMetrics metrics = metrics_of(samples::software());
  metrics.kind_of_parts = "cpu";
  metrics.parts = {{"CPU 0", metrics.totals}};
  const std::string text = to_openmetrics(metrics);
  EXPECT_THAT(text, AllOf(HasSubstr("# TYPE tacho_part_cpu_seconds counter\n# UNIT "
                                    "tacho_part_cpu_seconds seconds\n# HELP "
                                    "tacho_part_cpu_seconds Of a part of the run: "),
                          HasSubstr("tacho_part_cpu_seconds_total{run=\"nightly\",part=\"CPU 0\","
                                    "kind=\"cpu\",event=\"task-clock\"} 1.2\n"),
                          HasSubstr("tacho_part_cpu_low_seconds{"),
                          HasSubstr("tacho_part_counted_seconds_total{"),
                          Not(HasSubstr("tacho_events_total{run=\"nightly\",part="))));
}

TEST(OpenMetrics, LabelsAreEscapedAndNoSeriesIsThereTwice) {
  OpenMetrics metrics = metrics_of(samples::software());
  metrics.target = "say \"hi\" \\ there\n";
  metrics.kind_of_parts = "thread";
  metrics.parts = {{"1 (a)", metrics.totals}, {"1 (a)", metrics.totals}};
  const std::string text = to_openmetrics(metrics);
  EXPECT_THAT(text, HasSubstr(R"(target="say \"hi\" \\ there\\x0a")"));
  const std::string series =
      "tacho_part_events_total{run=\"nightly\",part=\"1 (a)\",kind=\"thread\","
      "event=\"page-faults\"} 24060\n";
  const std::size_t first = text.find(series);
  ASSERT_NE(first, text.npos);
  EXPECT_EQ(text.find(series, first + 1), text.npos);
  EXPECT_EQ(text.find("# TYPE tacho_events counter"), text.rfind("# TYPE tacho_events counter"));
}

// 3, 4: independent; 5 is their sum in squares. 1 + 1 is shared.
TEST(RunningTotals, IndependentHalfWidthsAddUpInSquaresAndSharedOnesLinearly) {
  RunningTotals totals;
  EventSummary event = samples::estimated("cycles", 100, std::hypot(3, 1), 0.5, 50);
  event.shared95 = 1;
  totals.add(one(event), 2);
  event.ci95 = std::hypot(4, 1);
  totals.add(one(event), 3);
  const EventSummary& sum = totals.totals().summary.events.front();
  EXPECT_EQ(sum.estimate, 200);
  EXPECT_EQ(sum.count, 100);
  EXPECT_NEAR(*sum.ci95, std::hypot(5, 2), 1e-12);
  EXPECT_EQ(totals.totals().counted_s.front(), 5);
}

TEST(RunningTotals, AnEventThatAnIntervalLacksIsAbsentUntilItIsBack) {
  RunningTotals totals;
  totals.add(one(samples::counted("cycles", 7)), 1);
  totals.add(one(samples::unsupported("cycles")), 1);
  EXPECT_FALSE(totals.totals().summary.events.front().estimate);
  totals.add(one(samples::counted("cycles", 5)), 1);
  EXPECT_EQ(totals.totals().summary.events.front().estimate, 12);
  EXPECT_EQ(totals.totals().counted_s.front(), 2) << "the time of the gap is not in it";
}

TEST(RunningTotals, WithoutOneIntervalTheSumHasNone) {
  RunningTotals totals;
  totals.add(one(samples::estimated("cycles", 100, {}, 0.5, 3)), 1);
  totals.add(one(samples::estimated("cycles", 100, 4, 0.5, 50)), 1);
  EXPECT_FALSE(totals.totals().summary.events.front().ci95);
  EXPECT_EQ(totals.totals().summary.events.front().estimate, 200);
}

}  // namespace
}  // namespace tacho::TEST_FILE
