// Tests layouts of reports: the shipped one, and errors in a user's.
#include "events/report_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmu/choice/pmu_option.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kSmall = R"(
period_ms = 50
counters = 2
[[set]]
name = "BR"
rows = ["Branches", "Mispredicted BR"]
choices = [{pmu = "simulated", events = ["b", "m"], note = "n"}, {events = ["b"]}]
ratios = [{name = "Ratio", formula = "100 * `Mispredicted BR` / Branches", unit = "%"}]
)";

std::string failure_of(std::string text, std::string_view what = "", std::string_view by = "") {
  if (!what.empty()) text.replace(text.find(what), what.size(), by);
  const auto report = parse_report(text, "dir/mine.toml");
  return report ? "parsed" : report.error().what + " | " + report.error().remedy;
}

TEST(EventsReportLayout, TheShippedReportHasTheFourSetsOf2013) {
  const auto report = load_report(std::string(TACHO_SOURCE_DIR) + "/data/reports/rpistat.toml");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->name, "rpistat");
  EXPECT_EQ(report->period_ms, 100);
  EXPECT_EQ(report->counters, 2);
  std::vector<std::string> names;
  for (const ReportSet& set : report->sets) {
    names.push_back(set.name);
    EXPECT_EQ(set.rows.size(), 2U);
    EXPECT_FALSE(set.choices.empty());
  }
  EXPECT_THAT(names, ElementsAre("Instr", "DC", "TLB", "BR"));
}

TEST(EventsReportLayout, EverythingInAFileIsRead) {
  const auto report = parse_report(kSmall, "dir/mine.toml");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->name, "mine");
  EXPECT_EQ(report->period_ms, 50);
  const ReportSet& set = report->sets.at(0);
  EXPECT_THAT(set.rows, ElementsAre("Branches", "Mispredicted BR"));
  EXPECT_EQ(set.choices.at(0).pmu, PmuKind::simulated);
  EXPECT_EQ(set.choices.at(0).note, "n");
  EXPECT_THAT(set.choices.at(1).events, ElementsAre("b"));
  EXPECT_THAT(set.ratios.at(0).formula.names(), ElementsAre("Mispredicted BR", "Branches"));
}

TEST(EventsReportLayout, ChoicesExistForEveryKindOfPmu) {
  for (const std::string& kind : pmu_words())
    if (kind != "auto") {
      EXPECT_EQ(failure_of(std::string(kSmall), "simulated", kind), "parsed");
    }
}

TEST(EventsReportLayout, ErrorsGiveTheLine) {
  const std::string small(kSmall);
  EXPECT_THAT(failure_of(small, "period_ms = 50", "period_ms = 0"),
              StartsWith("dir/mine.toml:2: 'period_ms'"));
  EXPECT_THAT(failure_of(small, "counters = 2", ""), HasSubstr("'counters'"));
  EXPECT_THAT(failure_of(small, "counters = 2", "counters = 2\nperiods = 3"),
              HasSubstr("unknown key 'periods'"));
  EXPECT_THAT(failure_of(small, "[\"b\"]", "[\"b\", \"m\", \"x\"]"),
              HasSubstr("3 events for 2 rows"));
  EXPECT_THAT(failure_of(small, "[\"b\"]", "[7]"), HasSubstr("is not a text"));
  EXPECT_THAT(failure_of(small, "simulated", "simulatd"),
              StartsWith("dir/mine.toml:7: there is no pmu 'simulatd' | write one of hardware, "));
  EXPECT_THAT(failure_of(small, "/ Branches", "/ Instructions"),
              HasSubstr("ratio 'Ratio' needs 'Instructions', which is not a row"));
  EXPECT_THAT(failure_of(small, "\"Mispredicted BR\"]", "\"Branches\"]"),
              HasSubstr("is given twice"));
  EXPECT_THAT(failure_of(small, "rows", "row"), HasSubstr("unknown key 'row'"));
  EXPECT_THAT(failure_of("set = 3\nperiod_ms = 1\ncounters = 1\n"),
              HasSubstr("'set' is not an array"));
  EXPECT_THAT(failure_of("set = [3]\nperiod_ms = 1\ncounters = 1\n"),
              HasSubstr("a set is not a table"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
