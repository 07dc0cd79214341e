// Reports, read by other parsers, and text without control characters for a terminal.
#include "tacho/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text_layout.hpp"
#include "caliper/estimated_total.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::json;

RegionReport made_up() {
  RegionReport report;
  report.pid = 42;
  report.program = "app";
  report.clock = {TickSource::tsc, true, 2e9, 0};
  report.explanation = "one read(2)";
  report.no_memory = 2;
  RegionFigures& region = report.regions.emplace_back();
  region.name = std::string("a\"b\\c\n\0\xff", 8);
  region.executions = 3;
  Quantity ticks;
  ticks.name = "ticks";
  ticks.status = CountStatus::counted;
  ticks.has_interval = true;
  ticks.executions = 3;
  ticks.total = 6000;
  ticks.mean = 2000;
  ticks.median = 1999.5;
  ticks.share = 1;
  Quantity turned = ticks;
  turned.name = "instructions";
  turned.status = CountStatus::estimated;
  turned.half_width95 = 12;
  turned.share = 0.5;
  Quantity few = turned;
  few.has_interval = false;
  Quantity none;
  none.name = "cycles";
  none.total = 99;  // must not be printed
  none.error = {"no PMU", "use bare metal", 2};
  region.quantities = {ticks, turned, few, none};
  return report;
}

TEST(RegionJson, IsOneLineThatAParserReads) {
  const std::string text = to_json(made_up());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const json document = json::parse(text);
  EXPECT_EQ(document["tacho"]["schema"], 1);
  EXPECT_EQ(document["pid"], 42);
  EXPECT_EQ(document["no_memory"], 2);
  EXPECT_EQ(document["clock"]["hz"], 2'000'000'000);
  const json& region = document["regions"][0];
  EXPECT_EQ(region["name"], "a\"b\\\\c\\x0a\\x00\\xff");
  EXPECT_EQ(region["quantities"][0]["total"], 6000);
  EXPECT_EQ(region["quantities"][0]["median"], 1999.5);
  EXPECT_EQ(region["quantities"][1]["ci95"], 12);
  EXPECT_EQ(region["quantities"][2]["ci95"], nullptr);
  EXPECT_NEAR(region["quantities"][1]["low"].get<double>(), 6000 - 12, 0.02);
  EXPECT_NEAR(region["quantities"][1]["high"].get<double>(), 6000 + 12, 0.02);
  EXPECT_EQ(region["quantities"][2]["low"], nullptr);
}

TEST(RegionJson, WhatWasNotCountedHasNoNumber) {
  const json none = json::parse(to_json(made_up()))["regions"][0]["quantities"][3];
  EXPECT_EQ(none["status"], "unavailable");
  for (const char* key : {"total", "ci95", "share", "min", "mean", "median", "p99", "max", "cost"})
    EXPECT_TRUE(none[key].is_null()) << key;
  EXPECT_EQ(none["reason"], "no PMU");
  EXPECT_EQ(none["remedy"], "use bare metal");
}

TEST(RegionCsv, HasOneLineForEachQuantityBelowItsHead) {
  const std::string text = to_csv(made_up());
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  EXPECT_NE(text.find(R"(42,"a""b\\c\x0a\x00\xff",3,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("cycles","",unavailable,,,,,,,,,,"no PMU",2)"), std::string::npos) << text;
}

// By hand: a half-width of 50 % is a factor of (0.25 + √1.0625)² = 1.6404.
TEST(RegionText, AWideIntervalHasBothEnds) {
  EXPECT_EQ(caliper::estimated_total(60, 30, {}), "~60 (36.6…98.4)");
  EXPECT_EQ(caliper::estimated_total(60, 18, {}), "~60 ± 18");
  EXPECT_EQ(caliper::estimated_total(60, {}, {}), "~60");
}

TEST(RegionText, ShowsEstimatesAsSuchAndAbsencesWithTheirReason) {
  const std::string text = to_text(made_up());
  EXPECT_NE(text.find("2 executions are not measured: memory ran out"), std::string::npos) << text;
  EXPECT_NE(text.find("~6000 ± 12"), std::string::npos) << text;
  EXPECT_NE(text.find("~2000 ± 4"), std::string::npos) << text;  // the mean of 3 executions
  EXPECT_NE(text.find("~0"), std::string::npos) << text;         // the 99 % of those counted
  EXPECT_NE(text.find("cycles is not counted: no PMU; use bare metal"), std::string::npos) << text;
  EXPECT_NE(text.find("time ns"), std::string::npos);
  EXPECT_NE(text.find("3000"), std::string::npos);  // 6,000 ticks at 2 GHz
  EXPECT_EQ(text.find("99 "), text.find("99 %"));
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ');
}

TEST(RegionReports, WithoutRegionsAreValid) {
  const RegionReport empty;
  EXPECT_TRUE(json::parse(to_json(empty))["regions"].empty());
  EXPECT_EQ(std::ranges::count(to_csv(empty), '\n'), 1);
}

TEST(Printable, Utf8StaysAndTheRestIsShown) {
  EXPECT_EQ(escaped("größe 中 😀"), "größe 中 😀");
  EXPECT_EQ(escaped("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
  EXPECT_EQ(escaped("\xc0\x80"), "\\xc0\\x80");           // longer than need be
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(escaped("\xe4\xb8"), "\\xe4\\xb8");           // cut short
  EXPECT_EQ(escaped("\xc2\x85"), "\\u0085");              // a control character
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

}  // namespace
}  // namespace tacho::TEST_FILE
