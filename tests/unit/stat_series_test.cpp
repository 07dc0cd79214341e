// The series file: what one can read back from its lines, and recompute.
#include "stat/series.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::json;

// Two sets of two and one events, one event that is always counted, one that cannot be.
Measurement measurement() {
  Measurement m;
  m.workload.command = {"./a b", "\xff"};
  m.workload.elapsed_s = 0.5;
  m.machine.pmu_kind = PmuKind::hardware;
  m.reference = "cycles";
  m.reference_total = 3000;
  m.period_ms = 10;
  m.sets = 2;
  m.always = {30};
  m.always_running = {1};
  const auto event = [](std::string name, Duty duty, std::size_t set, std::size_t slot) {
    CountedEvent e;
    e.name = std::move(name);
    e.duty = duty;
    e.set = set;
    e.slot = slot;
    return e;
  };
  m.events = {event("faults", Duty::always, 0, 0), event("loads", Duty::turned, 0, 1),
              event("cpu/event=1,umask=2/", Duty::turned, 0, 0),
              event("branches", Duty::turned, 1, 0), event("stalls", Duty::unsupported, 0, 0)};
  return m;
}

Period period(std::uint32_t set, std::vector<std::uint64_t> counts) {
  Period p;
  p.start_s = 0.125;
  p.duration_s = 0.0101;
  p.round = 7;
  p.set = set;
  p.reference = 900;
  p.enabled_ns = 10000;
  p.running_ns = 9999;
  p.counts = std::move(counts);
  return p;
}

constexpr std::uint64_t kHuge = 18446744073709551615U;

TEST(Series, TheFileEndingChoosesTheFormat) {
  EXPECT_EQ(series_format("a/b.csv"), SeriesFormat::csv);
  EXPECT_EQ(series_format("csv"), SeriesFormat::json);
  EXPECT_EQ(series_format("x.jsonl"), SeriesFormat::json);
}

TEST(Series, TheHeaderTellsWhereEachCountBelongs) {
  const std::string line = series_header(measurement(), "1.2.3", SeriesFormat::json);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const json header = json::parse(line);
  EXPECT_EQ(header["tacho"]["schema"], 1);
  EXPECT_EQ(header["command"][1], "\ufffd");
  EXPECT_EQ(header["reference"], "cycles");
  EXPECT_EQ(header["sets"], 2);
  EXPECT_EQ(header["events"][1]["name"], "loads");
  EXPECT_EQ(header["events"][1]["set"], 0);
  EXPECT_EQ(header["events"][1]["slot"], 1);
  EXPECT_TRUE(header["events"][0]["set"].is_null());
  EXPECT_TRUE(header["events"][4]["slot"].is_null());
}

TEST(Series, APeriodKeepsEveryCountExactly) {
  const std::uint64_t always[] = {kHuge};
  const std::string line =
      series_period(measurement(), period(0, {5, kHuge}), 17, always, 1000, SeriesFormat::json);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const json read = json::parse(line);
  EXPECT_EQ(read["period"], 17);
  EXPECT_EQ(read["start_s"], 0.125);
  EXPECT_EQ(read["duration_s"], 0.0101);
  EXPECT_EQ(read["round"], 7);
  EXPECT_EQ(read["set"], 0);
  EXPECT_EQ(read["reference"], 900);
  EXPECT_EQ(read["reference_total"], 1000);
  EXPECT_EQ(read["enabled_ns"], 10000);
  EXPECT_EQ(read["running_ns"], 9999);
  EXPECT_EQ(read["counts"], (json{5U, kHuge}));
  EXPECT_EQ(read["always"], (json{kHuge}));
}

TEST(Series, WithoutTurningAPeriodHasOnlyTheAlwaysCounted) {
  Measurement m = measurement();
  m.sets = 0;
  m.events.resize(1);
  const std::uint64_t always[] = {4};
  const json read =
      json::parse(series_period(m, period(0, {}), 0, always, 1000, SeriesFormat::json));
  EXPECT_FALSE(read.contains("set"));
  EXPECT_FALSE(read.contains("counts"));
  EXPECT_EQ(read["always"], (json{4}));
}

TEST(Series, TheEndHoldsTheTotals) {
  Measurement m = measurement();
  m.workload.signal = 9;
  const json end = json::parse(series_end(m, SeriesFormat::json))["end"];
  EXPECT_EQ(end["exit"]["signal"], 9);
  EXPECT_EQ(end["reference_total"], 3000);
  EXPECT_EQ(end["always"], (json{30}));
  EXPECT_TRUE(end["user_s"].is_null());
}

TEST(Series, CsvNamesTheEventOfEachCount) {
  const std::uint64_t always[] = {3};
  const std::string head = series_header(measurement(), "1.2.3", SeriesFormat::csv);
  ASSERT_TRUE(head.starts_with("# {"));
  EXPECT_EQ(json::parse(head.substr(2, head.find('\n') - 2)),
            json::parse(series_header(measurement(), "1.2.3", SeriesFormat::json)));
  const auto rows = samples::read_csv(
      head.substr(head.find('\n') + 1) +
      series_period(measurement(), period(0, {5, 6}), 17, always, 1000, SeriesFormat::csv) +
      series_period(measurement(), period(1, {8}), 18, always, 1000, SeriesFormat::csv));
  using Row = samples::CsvRow;
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0], (Row{"period", "start_s", "duration_s", "round", "set", "reference",
                          "reference_total", "event", "count", "enabled_ns", "running_ns"}));
  const std::string start = "0.125000000";
  const std::string duration = "0.010100000";
  EXPECT_EQ(rows[1], (Row{"17", start, duration, "7", "", "900", "1000", "faults", "3", "", ""}));
  EXPECT_EQ(rows[2],
            (Row{"17", start, duration, "7", "0", "900", "1000", "loads", "6", "10000", "9999"}));
  EXPECT_EQ(rows[3], (Row{"17", start, duration, "7", "0", "900", "1000", "cpu/event=1,umask=2/",
                          "5", "10000", "9999"}));
  EXPECT_EQ(rows[5], (Row{"18", start, duration, "7", "1", "900", "1000", "branches", "8", "10000",
                          "9999"}));
}

TEST(Series, CsvKeepsThePeriodOfASetWithoutEvents) {
  Measurement m = measurement();
  m.events.clear();
  const auto rows =
      samples::read_csv(series_period(m, period(0, {}), 2, {}, 1000, SeriesFormat::csv));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].size(), 11U);
  EXPECT_EQ(rows[0][6], "1000");
}

}  // namespace
}  // namespace tacho::TEST_FILE
