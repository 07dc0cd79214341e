// The words of a comparison: the verdict comes first, and says no more than is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/number.hpp"
#include "compare/change_text.hpp"
#include "compare/report.hpp"
#include "compare/strip.hpp"
#include "compare_made_up_runs.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Pairs = std::vector<std::pair<double, double>>;

// Pairs whose second value is the first one times the ratio, give or take 1 %.
Pairs around(double ratio, std::size_t n = 20) {
  Pairs pairs;
  for (std::size_t i = 0; i < n; ++i)
    pairs.emplace_back(0.01, 0.01 * ratio * (1 + 0.001 * (static_cast<double>(i % 5) - 2)));
  return pairs;
}

CompareReport report(PairedRuns runs, CompareRequest request = {}) {
  return report_of(request, std::move(runs), "0");
}

std::string text(PairedRuns runs) {
  return to_text(report(std::move(runs)), {});
}

TEST(CompareText, BeginsWithTheVerdict) {
  EXPECT_THAT(text(made_up_runs(around(0.95))),
              StartsWith("B takes 5.00 % less CPU time than A ("));
  EXPECT_THAT(text(made_up_runs(around(1.07))),
              StartsWith("B takes 7.00 % more CPU time than A ("));
  EXPECT_THAT(text(made_up_runs(around(3))), StartsWith("B takes 3.000 times the CPU time of A ("));
  EXPECT_THAT(text(made_up_runs(around(1))), StartsWith("No difference in CPU time is shown"));
  EXPECT_THAT(text(made_up_runs(Pairs(10, {1, 1}))),
              StartsWith("A and B have the same CPU time in every pair"));
}

TEST(CompareText, TheWallTimeIsBesideIt) {
  PairedRuns runs = made_up_runs(around(0.95));
  add_metric(runs, std::string(kWallTime), around(1));
  EXPECT_THAT(text(runs), HasSubstr("wall time: not decided,\nwithin -0.05 and +0.05 %."));
}

TEST(CompareText, NoLineIsWiderThanATerminal) {
  PairedRuns runs = made_up_runs(around(0.95));
  add_metric(runs, std::string(kWallTime), around(1));
  add_metric(runs, "context-switches", Pairs(20, {12, 15}));
  runs.warnings = {std::string(30, 'x') +
                   " is a warning of a measurement that has more words than "
                   "fit into one line of a terminal"};
  std::string all = text(runs);
  while (!all.empty()) {
    const std::size_t end = all.find('\n');
    EXPECT_LE(display_width(all.substr(0, end)), 80U) << all.substr(0, end);
    all.erase(0, end + 1);
  }
}

TEST(CompareText, ExactCountsHaveNoInterval) {
  PairedRuns runs = made_up_runs({{200, 150}, {200, 150}});
  runs.machine.pmu_kind = PmuKind::simulated;
  runs.metrics.front() = {"cycles", "", {}};
  const std::string shown = text(runs);
  EXPECT_THAT(shown, StartsWith("B has 25.00 % fewer cycles than A (exactly)"));
  EXPECT_THAT(shown, testing::Not(HasSubstr("…")));
}

TEST(CompareText, NamesOfUsersCanForgeNothing) {
  PairedRuns runs = made_up_runs(around(0.95));
  runs.commands.back().name = "B\nA takes 99 % less\x1b[2J";
  const std::string shown = text(runs);
  EXPECT_THAT(shown, testing::Not(HasSubstr("\nA takes")));
  EXPECT_THAT(shown, testing::Not(HasSubstr("\x1b")));
  runs.commands.back().name = "[x](http://y) | <b>";
  const std::string markdown = to_markdown(report(runs), {});
  EXPECT_THAT(markdown, testing::Not(HasSubstr("[x](")));
  EXPECT_THAT(markdown, testing::Not(HasSubstr(" | <b>")));
}

TEST(CompareText, ABrokenGateIsWorseThanAnOpenOne) {
  CompareRequest request;
  request.gates = {*parse_gate("cpu<=+1%")};
  EXPECT_EQ(gate_status(report(made_up_runs(around(0.95)), request).gates), 0);
  EXPECT_EQ(gate_status(report(made_up_runs(around(1.05)), request).gates), 1);
  EXPECT_EQ(gate_status(report(made_up_runs(Pairs(4, {1, 1.005})), request).gates), 2);
  request.gates.push_back(*parse_gate("cpu<=-50%"));
  EXPECT_EQ(gate_status(report(made_up_runs(around(0.95)), request).gates), 1);
}

TEST(CompareText, DifferentOutputsAndStatusesAreWarnings) {
  CompareRequest request;
  request.same_output = true;
  PairedRuns runs = made_up_runs(around(0.95));
  EXPECT_TRUE(report(runs, request).warnings.empty());
  for (ComparedRun& run : runs.runs) {
    run.output_digest = run.member + 1;
    run.exit_code = static_cast<int>(run.member);
  }
  const auto warnings = report(runs, request).warnings;
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("B prints something else than A")));
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("different statuses")));
}

TEST(Strip, ShowsTheHeightsOnOneScale) {
  const auto lines = strips_of({{0, 0, 0, 0}, {7, 7, 0, 7}});
  EXPECT_EQ(lines.front(), "▁▁▁▁");
  EXPECT_EQ(lines.back(), "██▁█");
}

TEST(Strip, HasAtMostFortyBars) {
  const auto lines = strips_of({std::vector<double>(1'000, 1)});
  EXPECT_LE(display_width(lines.front()), 40U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
