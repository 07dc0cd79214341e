// The CSV of `tacho stat`, read back by a parser of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report_samples.hpp"
#include "stat/report.hpp"

namespace tacho::TEST_FILE {
namespace {

using samples::CsvRow;

CsvRow row_of(const std::vector<CsvRow>& rows, std::string_view kind, std::string_view name,
              std::string_view part = "") {
  for (const CsvRow& row : rows) {
    if (row[0] == kind && row[1] == name && row[12] == part) return row;
  }
  return {};
}

TEST(ReportCsv, EveryRowHasTheHeadersColumns) {
  StatReport report = samples::turned();
  report.parts = {{"main, \"the\" first\nof many", samples::software().summary}};
  const auto rows = samples::read_csv(to_csv(report));
  EXPECT_EQ(rows[0], (CsvRow{"kind", "name", "status", "count", "estimate", "ci95", "minimum",
                             "unit", "share", "periods", "reason", "remedy", "part", "truth", "low",
                             "high", "pmu", "part_of"}));
  for (const CsvRow& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(row_of(rows, "event", "page-faults", "main, \"the\" first\\x0aof many")[3], "24060");
}

TEST(ReportCsv, FiguresAreExactAndInTheCLocale) {
  const auto rows = samples::read_csv(to_csv(samples::turned()));
  EXPECT_EQ(row_of(rows, "event", "cycles"),
            (CsvRow{"event", "cycles", "counted", "11794467561", "11794467561", "0", "", "", "1",
                    "0", "", "", "", "", "11794467561", "11794467561", "", ""}));
  EXPECT_EQ(row_of(rows, "event", "instructions")[4], "1245571856");
  EXPECT_EQ(row_of(rows, "event", "instructions")[8], "0.2544");
  EXPECT_EQ(row_of(rows, "metric", "CPI")[4], "9.4692");
  EXPECT_EQ(row_of(rows, "metric", "CPI")[5], "0.021");
  EXPECT_EQ(row_of(rows, "run", "elapsed_s")[4], "1.25");
  EXPECT_EQ(row_of(rows, "run", "exit_code")[4], "0");
  EXPECT_EQ(row_of(rows, "run", "signal")[4], "");
}

// The two ends are equally far from the figure on a logarithmic scale.
TEST(ReportCsv, IntervalsHaveTheirEnds) {
  StatReport report = samples::turned();
  report.elapsed = {1, 1.5};
  const auto rows = samples::read_csv(to_csv(report));
  for (const CsvRow& row : {row_of(rows, "event", "instructions"), row_of(rows, "metric", "CPI"),
                            row_of(rows, "run", "elapsed_s")}) {
    const double value = std::stod(row[4]);
    EXPECT_NEAR(std::stod(row[14]) * std::stod(row[15]), value * value, 1e-5 * value * value);
    EXPECT_NEAR(std::stod(row[15]) - std::stod(row[14]), 2 * std::stod(row[5]),
                std::stod(row[5]) * std::stod(row[5]) / value);
  }
  EXPECT_EQ(row_of(rows, "event", "branch-misses")[14], "") << "too few periods";
  EXPECT_EQ(row_of(rows, "run", "user_s")[15], "");
}

TEST(ReportCsv, AnUnsupportedEventHasEmptyFiguresAndItsReason) {
  const auto rows = samples::read_csv(to_csv(samples::software()));
  EXPECT_EQ(row_of(rows, "event", "cycles"),
            (CsvRow{"event", "cycles", "unsupported", "", "", "", "", "", "", "",
                    "no hardware PMU (ENOENT)", "run on bare metal, or pass the PMU on", "", "", "",
                    "", "", ""}));
  EXPECT_EQ(row_of(rows, "metric", "CPI")[4], "");
}

TEST(ReportCsv, ASimulationsTimeIsItsOwnAndTheNativeRunIsAPart) {
  const auto rows = samples::read_csv(to_csv(samples::simulated()));
  EXPECT_THAT(row_of(rows, "run", "elapsed_s"), testing::IsEmpty());
  EXPECT_EQ(row_of(rows, "run", "simulated_s")[4], "16.9");
  EXPECT_EQ(row_of(rows, "run", "elapsed_s", "native")[4], "1.25");
  EXPECT_EQ(row_of(rows, "event", "page-faults", "native")[2], "counted");
  EXPECT_EQ(row_of(rows, "warning", "", "native")[10], "kernel mode is not counted");
  EXPECT_EQ(row_of(rows, "event", "cycles")[2], "simulated");
  EXPECT_EQ(row_of(rows, "event", "instructions")[13], "1240000000");
}

TEST(ReportCsv, WarningsAreRowsToo) {
  std::vector<std::string> warnings;
  for (const CsvRow& row : samples::read_csv(to_csv(samples::turned()))) {
    if (row[0] == "warning") warnings.push_back(row[10]);
  }
  EXPECT_EQ(warnings, (std::vector<std::string>{"few periods", "the workload has phases"}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
