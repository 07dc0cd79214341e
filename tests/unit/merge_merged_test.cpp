// Reports of several files put together. The expected figures are worked out by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "merge/merged.hpp"
#include "merge/report.hpp"
#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StatFile file(std::string path, std::vector<EventSummary> events) {
  StatFile file;
  file.path = std::move(path);
  file.label = "./app";
  file.pmu_kind = PmuKind::hardware;
  file.pmu_name = "cpu";
  file.exit_code = 0;
  file.run = {{"elapsed_s", 2}, {"user_s", 1.5}};
  file.summary.events = std::move(events);
  return file;
}

Merged merge(std::vector<StatFile> files, const std::vector<Metric>& known = {}) {
  auto result = merge_reports(std::move(files), known);
  EXPECT_TRUE(result) << (result ? "" : result.error().what);
  return result ? std::move(*result) : Merged();
}

std::vector<Metric> cpi() {
  return {{"CPI", *Formula::parse("cycles / instructions"), "cycles per instruction", ""}};
}

TEST(Merge, CountsAddUpAndExtremesNameTheirFile) {
  std::vector<StatFile> files;
  for (const double count : {100, 300, 200})
    files.push_back(file(fmt::format("{}.json", count), {samples::counted("cycles", count)}));
  const Merged all = merge(files);
  ASSERT_EQ(all.events.size(), 1);
  const MergedEvent& cycles = all.events.front();
  EXPECT_EQ(cycles.sum.estimate, 600);
  EXPECT_EQ(cycles.sum.ci95, 0);
  EXPECT_EQ(cycles.sum.status, Status::counted);
  EXPECT_EQ(cycles.spread.mean, 200);
  EXPECT_EQ(cycles.spread.median, 200);
  EXPECT_EQ(all.files[cycles.spread.minimum.file].path, "100.json");
  EXPECT_EQ(all.files[cycles.spread.maximum.file].path, "300.json");
  EXPECT_FALSE(cycles.spread.outliers) << "three files are too few";
  EXPECT_EQ(all.run.front().sum, std::nullopt) << "elapsed time does not add up";
  EXPECT_EQ(all.run.back().sum, 4.5);
  EXPECT_THAT(all.warnings, IsEmpty());
}

// 3 and 4 are independent: 5. 1 and 1 are shared: 2.
TEST(Merge, IndependentHalfWidthsAddUpInSquaresAndSharedOnesLinearly) {
  EventSummary a = samples::estimated("cycles", 100, std::hypot(3, 1), 0.5, 50);
  EventSummary b = samples::estimated("cycles", 100, std::hypot(4, 1), 0.5, 50);
  a.shared95 = b.shared95 = 1;
  const Merged all = merge({file("a", {a}), file("b", {b})});
  EXPECT_NEAR(*all.events.front().sum.ci95, std::hypot(5, 2), 1e-12);
  EXPECT_EQ(all.events.front().sum.status, Status::estimated);
  b.ci95 = std::nullopt;
  EXPECT_FALSE(merge({file("a", {a}), file("b", {b})}).events.front().sum.ci95);
}

// CPI of the whole is 1100 cycles by 600 instructions, and not the mean of 1 and 10.
TEST(Merge, RatiosAreThoseOfTheSums) {
  StatFile a = file("a", {samples::counted("cycles", 100), samples::counted("instructions", 100)});
  StatFile b = file("b", {samples::counted("cycles", 1000), samples::counted("instructions", 500)});
  a.summary.metrics = {samples::metric("CPI", "cycles per instruction", 1, 0.06)};
  b.summary.metrics = {samples::metric("CPI", "cycles per instruction", 2, 0.048)};
  const Merged all = merge({a, b}, cpi());
  EXPECT_NEAR(*all.metrics.front().ratio.value, 1100.0 / 600, 1e-12);
  // The weights are 1/6 and 5/6, and instructions are exact.
  EXPECT_NEAR(*all.metrics.front().ratio.ci95, std::hypot(0.06 / 6, 0.048 * 5 / 6), 1e-12);
  EXPECT_EQ(all.metrics.front().spread.mean, 1.5);
}

// An error of the instructions of b counts as far as b's ratio differs from that of all.
TEST(Merge, TheDivisorsUncertaintyCountsIfTheRatiosDiffer) {
  StatFile a = file("a", {samples::counted("cycles", 100), samples::counted("instructions", 100)});
  StatFile b = file(
      "b", {samples::counted("cycles", 200), samples::estimated("instructions", 100, 8, 0.5, 50)});
  a.summary.metrics = {samples::metric("CPI", "cycles per instruction", 1, 0)};
  b.summary.metrics = {samples::metric("CPI", "cycles per instruction", 2, 0)};
  EXPECT_NEAR(*merge({a, b}, cpi()).metrics.front().ratio.ci95, 8 * 0.5 / 200, 1e-12);
}

TEST(Merge, AMetricOfAnotherFormulaHasItsSpreadOnly) {
  StatFile a = file("a", {samples::counted("cycles", 100), samples::counted("instructions", 100)});
  a.summary.metrics = {samples::metric("CPI", "cycles per instruction", 7, 0)};
  for (const auto& known : {cpi(), std::vector<Metric>()}) {
    const Merged all = merge({a, a}, known);
    EXPECT_FALSE(all.metrics.front().ratio.value);
    EXPECT_EQ(all.metrics.front().spread.mean, 7);
    EXPECT_THAT(to_text(all, {}), HasSubstr("CPI"));
  }
}

TEST(Merge, AnEventThatSomeFilesLackIsTheSumOfTheOthersAndSaysSo) {
  const Merged all = merge({file("a", {samples::counted("cycles", 5), samples::counted("x", 1)}),
                            file("b", {samples::unsupported("cycles")})});
  EXPECT_EQ(all.events.front().sum.estimate, 5);
  EXPECT_EQ(all.events.front().spread.files, 1);
  EXPECT_THAT(all.warnings,
              Contains("cycles is missing in 1 of 2 files (b): its sum is that of the others"));
  EXPECT_THAT(all.warnings, Contains(HasSubstr("x is missing")));
  EXPECT_THAT(to_text(all, {}), HasSubstr("cycles (1 file)"));
}

TEST(Merge, WhatNoFileHasIsNotAvailable) {
  const Merged all = merge({file("a", {samples::unsupported("cycles")})});
  EXPECT_FALSE(all.events.front().sum.estimate);
  EXPECT_THAT(to_text(all, {}), HasSubstr("Not available in any file\n   - cycles: no hardware"));
  EXPECT_THAT(to_csv(all), HasSubstr("event,cycles,unsupported,,0,,,,,,,,,,,,no hardware PMU"));
}

TEST(Merge, WhatDoesNotAddUpIsAnError) {
  StatFile simulated = file("b", {});
  simulated.pmu_kind = PmuKind::simulated;
  const auto mixed = merge_reports({{file("a", {}), simulated}}, {});
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().what, AllOf(HasSubstr("'a'"), HasSubstr("'b'"), HasSubstr("simul")));
  const auto units = merge_reports({{file("a", {samples::counted("energy", 1, "Joules")}),
                                     file("b", {samples::counted("energy", 1)})}},
                                   {});
  ASSERT_FALSE(units);
  EXPECT_THAT(units.error().what, HasSubstr("'Joules' in 'a'"));
}

TEST(Merge, FailuresAndOtherPmusAreWarnings) {
  StatFile failed = file("b", {});
  failed.exit_code.reset();
  failed.signal = 9;
  failed.pmu_name = "cpu2";
  EXPECT_THAT(
      merge({file("a", {}), failed}).warnings,
      ElementsAre("1 of 2 commands failed (b: signal 9)", HasSubstr("cpu in a; cpu2 in b")));
}

TEST(Merge, TheOddFileIsAnOutlier) {
  std::vector<StatFile> files;
  for (const double count : {1001, 1003, 2000, 1002, 1000})
    files.push_back(file(fmt::format("rank{}", files.size()), {samples::counted("faults", count)}));
  const Merged all = merge(files);
  ASSERT_TRUE(all.events.front().spread.outliers);
  ASSERT_EQ(all.events.front().spread.outliers->size(), 1);
  EXPECT_EQ(all.events.front().spread.outliers->front().file, 2);
  EXPECT_THAT(to_text(all, {}), HasSubstr("2000  faults  rank2  the median is 1002"));
  EXPECT_THAT(to_csv(all), HasSubstr("\noutlier,faults,,,,2000,"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
