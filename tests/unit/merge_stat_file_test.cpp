// Files of `tacho stat --json` as tacho merge reads them, and files that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "merge/stat_file.hpp"
#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string reason(std::string_view text) {
  const auto file = parse_stat_file(text, "x.json");
  return file ? "" : file.error().what;
}

TEST(StatFile, WhatWasWrittenIsRead) {
  StatReport report = samples::turned();
  report.summary.events[1].shared95 = 1000;
  const auto file = parse_stat_file(to_json(report), "x.json");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->label, "./naive 500");
  EXPECT_EQ(file->pmu_kind, PmuKind::hardware);
  EXPECT_EQ(file->pmu_name, "armv7_cortex_a7");
  EXPECT_EQ(file->exit_code, 0);
  ASSERT_EQ(file->summary.events.size(), 4);
  EXPECT_EQ(file->summary.events[1].estimate, 1245571856);
  EXPECT_EQ(file->summary.events[1].ci95, 14900000);
  EXPECT_EQ(file->summary.events[1].shared95, 1000);
  EXPECT_EQ(file->summary.metrics[0].value, 9.4692);
  EXPECT_EQ(file->run[0].name, "elapsed_s");
  EXPECT_EQ(file->run[0].value, 1.25);
}

TEST(StatFile, TheReportOfIntervalsIsTheLastLine) {
  const std::string lines = "{\"interval\": 1, \"events\": []}\n" + to_json(samples::turned(), -1);
  EXPECT_TRUE(parse_stat_file(lines, "x.json"));
  EXPECT_THAT(reason("{\"interval\": 1, \"events\": []}\n{\"interval\": 2, \"events\": []}\n"),
              HasSubstr("not the report at their end"));
}

// Files of older versions do not say which part of a half-width is shared.
TEST(StatFile, WithoutWordOfItTheWholeHalfWidthIsShared) {
  const auto file = parse_stat_file(
      R"({"tacho":{"schema":1},"exit":{},"events":[{"name":"a","estimate":9,"ci95":2}]})",
      "x.json");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->summary.events.front().shared95, 2);
}

TEST(StatFile, WhatIsNoReportIsAnErrorThatNamesTheFile) {
  const std::string whole = to_json(samples::turned());
  EXPECT_THAT(reason(""), AllOf(HasSubstr("'x.json'"), HasSubstr("empty")));
  EXPECT_THAT(reason(" \n"), HasSubstr("empty"));
  EXPECT_THAT(reason("time,count\n"), HasSubstr("no JSON"));
  for (const std::size_t size : {whole.size() / 10, whole.size() / 2, whole.size() - 4})
    EXPECT_THAT(reason(whole.substr(0, size)), HasSubstr("its end is missing")) << size;
  EXPECT_THAT(reason("[1, 2]"), HasSubstr("something else"));
  EXPECT_THAT(reason(R"({"tacho":{"schema":1},"rows":[]})"), HasSubstr("something else"));
  EXPECT_THAT(reason(R"({"tacho":{"schema":2},"exit":{},"events":[]})"), HasSubstr("schema"));
  EXPECT_THAT(reason(R"({"tacho":{"schema":1},"exit":{},"events":[{"name":"a","estimate":-1}]})"),
              HasSubstr("not possible"));
  EXPECT_THAT(reason(R"({"tacho":{"schema":1},"exit":{},"events":[{"estimate":1}]})"),
              HasSubstr("not possible"));
  EXPECT_THAT(reason(std::string(100, '[')), HasSubstr("no JSON"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
