// The report for people, held against texts written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report_samples.hpp"
#include "stat/report.hpp"

namespace tacho::TEST_FILE {
namespace {

const NumberStyle kBritish{",", ".", "\3"};
const NumberStyle kFrench{"\u202f", ",", "\3"};

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(ReportText, ShowsCountsRatesAndWhatIsNotAvailable) {
  EXPECT_EQ(to_text(samples::software(), kBritish),
            R"( ./naive 500: software events

        1,200.00 ms   task-clock        0.960 CPUs used
              12      context-switches  9.60 /s
          24,060      page-faults       19.2 k/s

   1.250 s elapsed   1.220 s user   0.0030 s system   6.2 MiB maximum resident

 Not available here
   cycles, instructions
      no hardware PMU (ENOENT)
      Remedy: run on bare metal, or pass the PMU on
   CPI
      not all events of the formula were counted
)");
}

TEST(ReportText, ManyMissingEventsAreALineForEachReasonUnlessDetailsAreAskedFor) {
  StatReport report = samples::software();
  for (const char* name : {"branches", "branch-misses", "LLC-loads"})
    report.summary.events.push_back(samples::unsupported(name));
  EXPECT_TRUE(to_text(report, kBritish, 60).ends_with(R"(
 Not available here ('tacho doctor' and -v tell more)
   cycles, instructions, branches and 2 more: no hardware
   PMU (ENOENT)
)"));
  report.plan = "   always  page-faults  type 1\n";
  EXPECT_TRUE(to_text(report, kBritish).ends_with(R"(
 Not available here
   cycles, instructions, branches, branch-misses, LLC-loads
      no hardware PMU (ENOENT)
      Remedy: run on bare metal, or pass the PMU on
   CPI
      not all events of the formula were counted

 How it was counted
   always  page-faults  type 1
)"));
}

TEST(ReportText, WithoutEventsHasTheTimesAlone) {
  StatReport report = samples::software();
  report.summary = {};
  EXPECT_EQ(to_text(report, kBritish), R"( ./naive 500: software events

   1.250 s elapsed   1.220 s user   0.0030 s system   6.2 MiB maximum resident
)");
}

TEST(ReportText, OnATerminalItsTitleAndWarningsHaveColours) {
  EXPECT_EQ(with_colours(" a\n\n 1 x\n\n Warnings\n   - b\n"),
            "\033[1m a\033[0m\n\n 1 x\n\n\033[33m Warnings\033[0m\n\033[33m   - b\033[0m\n");
}

TEST(ReportText, MarksEstimatesAndSaysHowTheyWereGot) {
  EXPECT_EQ(to_text(samples::turned(), kBritish),
            R"( ./naive 500: hardware events (armv7_cortex_a7, 4 counters)
 4 event sets took turns: 169 periods of 10.0 ms, scaled by cycles; a turn cost 42 µs

  11,794,467,561                cycles            9.44 G/s
  ~1,246,000,000 ± 1.2 %        instructions      1.0 G/s ± 1.2 %  from 25.4 % of the run (43 periods)
      ~1,490,000                branch-misses     1.2 M/s          from 2.00 % of the run (3 periods); too few periods for an interval
              ~0                alignment-faults                   none seen in 24.9 % of the run (42 periods)

           9.469   ± 0.021      CPI               cycles per instruction
           108.7   ± 1.7        branch rate       per thousand instructions
            1.10 % (1.06…1.13)  mispredict ratio
           ~23.2 %              stall ratio                                  no interval: too few periods

   1.250 s elapsed   1.220 s user   0.0030 s system   6.2 MiB maximum resident

 Warnings
   - few periods
   - the workload has phases
)");
}

TEST(ReportText, SimulatedCountsSaySoAndStandBesideTheTruthAndTheNativeRun) {
  StatReport report = samples::simulated();
  report.native->summary.events.resize(3);
  report.native->summary.metrics.clear();
  EXPECT_EQ(to_text(report, kBritish),
            R"( ./naive 500: simulated events (arm1176, 2 counters)
 Simulated: user mode alone, on one core; cycles, stalls and times are the model's estimate.
 How far its cycles are from a real processor's was not measured.
 4 event sets took turns: 169 periods of 10.0 ms, scaled by cycles

  11,794,467,561          cycles        698 M/s                              simulated
  ~1,246,000,000 ± 1.2 %  instructions  74 M/s ± 1.2 %  truth 1,240,000,000  from 25.4 % of the run (43 periods)

   16.900 s simulated

 Native run, without the simulator
        1,200.00 ms   task-clock        0.960 CPUs used
              12      context-switches  9.60 /s
          24,060      page-faults       19.2 k/s

   1.250 s elapsed   1.220 s user   0.0030 s system   6.2 MiB maximum resident

 Warnings
   - kernel mode is not counted

 Not available here
   page-faults
      no hardware PMU (ENOENT)
      Remedy: run on bare metal, or pass the PMU on
)");
}

TEST(ReportText, TheErrorOfAModelIsSaid) {
  StatReport report = samples::simulated();
  report.summary.events[1].status = Status::simulated;
  report.measurement.machine.cycles_error = {9.25, "312 blocks"};
  const std::string text = to_text(report, kBritish);
  EXPECT_TRUE(holds(text, "cycles were wrong by 9.2 % in the mean of 312 blocks"));
}

TEST(ReportText, EndsWithItsAdvice) {
  StatReport report = samples::software();
  report.advice = "Try something else.";
  EXPECT_TRUE(to_text(report, kBritish).ends_with("counted\n\n Try something else.\n"));
}

TEST(ReportText, NothingAvailableShowsNoNumberForAnEvent) {
  StatReport report = samples::software();
  report.summary.events = {samples::unsupported("cycles"), samples::unsupported("instructions")};
  report.summary.events[0].count = report.summary.events[0].estimate = 0;  // must not be believed
  report.measurement.workload.has_usage = false;
  report.measurement.workload.signal = 11;
  EXPECT_EQ(to_text(report, kBritish), R"( ./naive 500: software events

 Nothing could be counted.

   1.250 s elapsed
   killed by signal 11 (SIGSEGV, Segmentation fault)

 Not available here
   cycles, instructions
      no hardware PMU (ENOENT)
      Remedy: run on bare metal, or pass the PMU on
   CPI
      not all events of the formula were counted
)");
}

TEST(ReportText, RepeatsShowMeanIntervalAndMinimum) {
  StatReport report = samples::software();
  report.repeats = 3;
  report.elapsed = {1.0, 1.1, 1.2};
  report.measurement.workload.exit_code = 3;
  report.summary.metrics.clear();
  auto& events = report.summary.events;
  events.resize(3);
  events[0].ci95 = 15.5e6;
  events[0].rate_ci95 = 0.11e9;
  events[0].minimum = 1.19e9;
  events[1].count = events[1].estimate = 9.73;
  events[1].ci95 = 0.4;
  events[1].rate_ci95 = 4.4;
  events[1].minimum = 8;
  events[2].minimum = 24060;
  // The interval of the elapsed time: t(2) = 4.303, s = 0.1, so 0.248 s or 23 % of the mean.
  EXPECT_EQ(to_text(report, kBritish), R"( ./naive 500: software events, mean of 3 runs
 Intervals (95 %) are of the mean of these 3 runs in a row, on this machine at this time.

           1,200 ms ± 1.3 %  task-clock        1.09 CPUs used ± 10 %  minimum 1,190.00 ms
             9.7    ± 4 %    context-switches  8.8 /s (5…14)          minimum 8
          24,060    ± 0 %    page-faults       21.9 k/s               minimum 24,060

   1.100 s ± 23 % elapsed (minimum 1.000 s)
   1.220 s user   0.0030 s system   6.2 MiB maximum resident
   last run: exited with status 3
)");
}

TEST(ReportText, CpusThatWereWatchedAreNotCalledUsed) {
  StatReport report = samples::software();
  report.measurement.workload.every_cpu = true;
  EXPECT_THAT(to_text(report, kBritish), testing::HasSubstr("0.960 CPUs counted\n"));
}

TEST(ReportText, ThreadsStandSideBySide) {
  StatReport report = samples::software();
  report.parts = {{"main (42)", {}}, {"worker (43)", {}}};
  report.kind_of_parts = PartKind::thread;
  report.parts[0].summary.events = {samples::counted("task-clock", 9e8, "ns"),
                                    samples::estimated("page-faults", 24000, 290, 0.5, 40),
                                    samples::unsupported("cycles")};
  report.parts[1].summary.events = {samples::counted("task-clock", 3e8, "ns"),
                                    samples::unsupported("cycles")};
  EXPECT_TRUE(holds(to_text(report, kBritish), R"(
   thread        task-clock (ms)       page-faults
   main (42)              900.00   ~24,000 ± 1.2 %
   worker (43)            300.00                 -

   1.250 s elapsed)"));
}

TEST(ReportText, ManyColumnsOfThreadsGoIntoFurtherBlocks) {
  StatReport report = samples::software();
  report.parts = {{"main", {}}};
  report.kind_of_parts = PartKind::thread;
  for (int i = 0; i < 20; ++i) {
    report.parts[0].summary.events.push_back(
        samples::counted("event-number-" + std::to_string(i), i));
  }
  const std::string text = to_text(report, kBritish);
  std::size_t blocks = 0;
  for (std::size_t at = 0; (at = text.find("\n   thread ", at)) != text.npos; ++at) ++blocks;
  EXPECT_GE(blocks, 3U);
  EXPECT_TRUE(holds(text, "event-number-19"));
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(display_width(text.substr(start, end - start)), 100U);
    start = end + 1;
  }
}

TEST(ReportText, WritesNumbersInTheReadersStyle) {
  const std::string text = to_text(samples::turned(), kFrench);
  EXPECT_TRUE(holds(text, "~1\u202f246\u202f000\u202f000 \u00b1 1,2 %        instructions"));
  EXPECT_TRUE(holds(text, "9,469   \u00b1 0,021      CPI"));
  EXPECT_TRUE(holds(text, "1,10 % (1,06…1,13)  mispredict ratio"));
}

TEST(ReportText, NothingFromTheWorkloadReachesTheTerminalRaw) {
  StatReport report = samples::software();
  report.measurement.workload.label = "a\x1b[2J\n\xff\xc2\x9b \u00e9";
  EXPECT_TRUE(
      to_text(report, kBritish).starts_with(" a\\x1b[2J\\x0a\\xff\\u009b \u00e9: software"));
  report.measurement.workload.label = std::string(100000, 'x');
  EXPECT_LT(to_text(report, kBritish).find('\n'), 300U);
}

TEST(ReportText, SaysWhichPeriodWasReached) {
  StatReport report = samples::turned();
  report.measurement.reached_period_ms = 53.0;
  report.measurement.merge_factor = 10;
  EXPECT_TRUE(holds(to_text(report, kBritish), "1,690 periods of 53.0 ms (10.0 ms asked for)"));
}

TEST(ReportText, WithoutTurnsTheReasonForNoIntervalIsTheSummarys) {
  StatReport report = samples::software();
  EventSummary shared = samples::estimated("cycles", 1234567, {}, 0.5, 0);
  shared.reason = "its counter was shared";
  report.summary.events = {shared};
  EXPECT_TRUE(holds(to_text(report, kBritish), "~1,230,000   cycles"));
  EXPECT_TRUE(holds(to_text(report, kBritish), "from 50.0 % of the run; its counter was shared\n"));
}

TEST(ReportText, LongReasonsAreWrapped) {
  StatReport report = samples::software();
  for (EventSummary& event : report.summary.events) {
    for (int i = 0; i < 40; ++i) event.reason += " because";
  }
  const std::string text = to_text(report, kBritish);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(display_width(text.substr(start, end - start)), 100U);
    start = end + 1;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
