// -x and -j. The expected lines have the layout of perf stat 6.1's.
#include "stat/perf_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

StatReport counts() {
  StatReport report;
  report.measurement.workload.elapsed_s = 2;
  report.summary.events = {samples::counted("task-clock", 1e9, "ns"),
                           samples::counted("cycles:u", 3.1e9),
                           samples::counted("instructions:u", 4.65e9),
                           samples::counted("branches", 2e8),
                           samples::counted("branch-misses", 5e6),
                           samples::counted("page-faults", 24060),
                           samples::counted("power/energy-pkg/", 12.345, "Joules"),
                           samples::unsupported("LLC-loads")};
  for (EventSummary& event : report.summary.events) event.running_ns = 1e9;
  return report;
}

TEST(PerfLines, HaveTheFieldsAndMetricsOfPerf) {
  EXPECT_EQ(perf_lines(counts(), {","}, {}, false),
            "1000.00,msec,task-clock,1000000000,100.00,0.500,CPUs utilized\n"
            "3100000000,,cycles:u,1000000000,100.00,3.100,GHz\n"
            "4650000000,,instructions:u,1000000000,100.00,1.50,insn per cycle\n"
            "200000000,,branches,1000000000,100.00,200.000,M/sec\n"
            "5000000,,branch-misses,1000000000,100.00,2.50,of all branches\n"
            "24060,,page-faults,1000000000,100.00,24.060,K/sec\n"
            "12.35,Joules,power/energy-pkg/,1000000000,100.00,,\n"
            "<not supported>,,LLC-loads,0,100.00,,\n");
}

TEST(PerfLines, HaveNoRateWithoutAClock) {
  StatReport report = counts();
  report.summary.events = {report.summary.events[5], report.summary.events[2]};
  EXPECT_EQ(perf_lines(report, {";"}, {}, false),
            "24060;;page-faults;1000000000;100.00;;\n"
            "4650000000;;instructions:u;1000000000;100.00;;\n");
}

TEST(PerfLines, OfAnEstimateHaveThePartOfTheTime) {
  StatReport report = counts();
  report.summary.events = {samples::estimated("cycles", 1000.4, 10, 0.25, 20)};
  report.summary.events[0].running_ns = 2.5e8;
  EXPECT_EQ(perf_lines(report, {","}, {}, false), "1000,,cycles,250000000,25.00,,\n");
}

TEST(PerfLines, OfRepeatsHaveTheStandardError) {
  StatReport report = counts();
  report.repeats = 3;
  report.summary.events = {samples::counted("page-faults", 100)};
  report.summary.events[0].ci95 = 4.302653;  // t of two degrees of freedom: a standard error of 1
  EXPECT_EQ(perf_lines(report, {","}, {}, false), "100,,page-faults,1.00%,0,100.00,,\n");
  EXPECT_THAT(perf_lines(report, {}, {}, false), testing::HasSubstr(R"("variance" : 1.00, )"));
}

TEST(PerfLines, OfAnIntervalBeginWithItsTime) {
  StatReport report = counts();
  report.summary.events.resize(1);
  EXPECT_EQ(perf_lines(report, {","}, 0.100123456, false),
            "     0.100123456,1000.00,msec,task-clock,1000000000,100.00,0.500,CPUs utilized\n");
}

struct Parts {
  PartKind kind;
  const char* label;
  const char* csv;
  const char* json;
};

TEST(PerfLines, NamePartsAsPerfDoes) {
  for (const Parts& each :
       {Parts{PartKind::cpu, "CPU 3", "CPU3,7,,page-faults,0,100.00,,\n", R"({"cpu" : "3", )"},
        Parts{PartKind::core, "S0-D0-C1", "S0-D0-C1,2,7,,page-faults,0,100.00,,\n",
              R"({"core" : "S0-D0-C1", "aggregate-number" : 2, )"},
        Parts{PartKind::socket, "S1", "S1,2,7,,page-faults,0,100.00,,\n",
              R"({"socket" : "S1", "aggregate-number" : 2, )"},
        Parts{PartKind::node, "N0", "N0,2,7,,page-faults,0,100.00,,\n",
              R"({"node" : "N0", "aggregate-number" : 2, )"},
        Parts{PartKind::thread, "4711 (a (b) c)", "a (b) c-4711,7,,page-faults,0,100.00,,\n",
              R"({"thread" : "a (b) c-4711", )"},
        Parts{PartKind::cgroup, "system.slice", "7,,page-faults,system.slice,0,100.00,,\n",
              R"({"counter-value" : "7.000000", "unit" : "", "event" : "page-faults", )"
              R"("cgroup" : "system.slice", )"}}) {
    StatReport report;
    report.kind_of_parts = each.kind;
    report.parts = {{each.label, {}, 2}};
    report.parts[0].summary.events = {samples::counted("page-faults", 7)};
    report.summary = report.parts[0].summary;
    EXPECT_EQ(perf_lines(report, {","}, {}, false), each.csv);
    EXPECT_THAT(perf_lines(report, {}, {}, false), testing::StartsWith(each.json));
  }
}

TEST(PerfLines, TellOfEachEventOnAllCpus) {
  StatReport report = counts();
  report.kind_of_parts = PartKind::cpu;
  report.summary.events = {samples::counted("a", 3), samples::counted("b", 7)};
  report.parts = {{"CPU 0", {}}, {"CPU 1", {}}};
  report.parts[0].summary.events = {samples::counted("a", 1), samples::counted("b", 3)};
  report.parts[1].summary.events = {samples::counted("a", 2), samples::counted("b", 4)};
  EXPECT_EQ(perf_lines(report, {","}, {}, false),
            "CPU0,1,,a,0,100.00,,\nCPU1,2,,a,0,100.00,,\n"
            "CPU0,3,,b,0,100.00,,\nCPU1,4,,b,0,100.00,,\n");
}

TEST(PerfLines, HaveALineForEachMetricIfAsked) {
  StatReport report;
  report.summary.metrics = {samples::metric("CPI", "cycles per instruction", 1.5, 0.1),
                            samples::metric("lost", "", {}, {}, "why")};
  EXPECT_EQ(perf_lines(report, {","}, {}, true), ",,,,,1.500,CPI cycles per instruction\n");
  EXPECT_EQ(perf_lines(report, {","}, {}, false), "");
}

TEST(PerfLines, OfJsonAreOneObjectEachWhateverTheName) {
  StatReport report;
  report.summary.events = {samples::counted("cpu/name=\"a\nb\"/", 1)};
  const auto json = nlohmann::json::parse(perf_lines(report, {}, 0.5, false));
  EXPECT_EQ(json["event"], "cpu/name=\"a\nb\"/");
  EXPECT_EQ(json["interval"], 0.5);
  EXPECT_EQ(json["counter-value"], "1.000000");
}

TEST(PerfLines, AnEventWithTheSeparatorInItsNameIsTold) {
  StatReport report;
  report.summary.events = {samples::counted("cpu/event=1,umask=2/", 1)};
  EXPECT_THAT(warning_of_separator(report, {","}).value_or(""), testing::HasSubstr("-x ';'"));
  EXPECT_FALSE(warning_of_separator(report, {";"}));
  EXPECT_FALSE(warning_of_separator(report, {}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
