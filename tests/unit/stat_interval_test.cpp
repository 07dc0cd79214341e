// The lines of -I.
#include "stat/interval.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

const NumberStyle kBritish{",", ".", "\3"};
constexpr std::size_t kWide = 100, kNarrow = 60;

StatReport interval_of(Summary summary, Measurement slice = {}) {
  StatReport interval;
  interval.summary = std::move(summary);
  interval.measurement = std::move(slice);
  return interval;
}

// The text of intervals that follow each other, for a terminal of this width.
std::string text_of(const std::vector<StatReport>& intervals, std::size_t columns) {
  const IntervalLayout layout = layout_of(intervals.front(), kBritish, columns);
  std::string text = interval_start_text(intervals.front(), layout, columns);
  double time_s = 0;
  for (const StatReport& each : intervals)
    text += interval_text(time_s += 0.5, each, layout, kBritish);
  return text;
}

TEST(IntervalText, OfASimulationSaysSoFirst) {
  Measurement slice;
  slice.machine.pmu_kind = PmuKind::simulated;
  slice.machine.pmu_name = "host";
  EXPECT_TRUE(text_of({interval_of({}, slice)}, kWide)
                  .starts_with("# simulated, in simulated time (host)\n#   time (s)"));
}

TEST(IntervalText, IsALineForEachIntervalAfterWhatIsMissing) {
  const Summary summary = samples::software().summary;
  EXPECT_EQ(text_of({interval_of(summary), interval_of(summary)}, kWide),
            R"(# not available: cycles, instructions: no hardware PMU (ENOENT)
#   time (s)  task-clock (ms)  context-switches    page-faults
       0.500         1,200.00                12         24,060
       1.000         1,200.00                12         24,060
)");
}

TEST(IntervalText, IsALineForEachFigureIfTheyDoNotFitBesideEachOther) {
  const Summary summary = samples::software().summary;
  Measurement slice;
  slice.workload.elapsed_s = 2;
  EXPECT_EQ(text_of({interval_of(summary, slice)}, kNarrow),
            R"(# not available: cycles, instructions: no hardware PMU
# (ENOENT)
#   time (s)         count 95 %           event
       0.500      1,200.00 ms             task-clock             0.600 CPUs used
       0.500            12                context-switches       6.00 /s
       0.500        24,060                page-faults            12.0 k/s
)");
}

TEST(IntervalText, PutsTheUncertaintyBesideAnEstimate) {
  Summary summary;
  summary.events = {samples::estimated("page-faults", 24060.4, 289, 0.5, 20)};
  summary.metrics = {samples::metric("miss ratio", "%", 20.1, 0.4)};
  EXPECT_EQ(text_of({interval_of(summary)}, kWide),
            R"(#   time (s)           page-faults        miss ratio (%)
       0.500       ~24,060 ± 1.2 %      20.1 (19.7…20.5)
)");
}

TEST(IntervalText, HasALineForEachPart) {
  StatReport interval = interval_of(samples::software().summary);
  interval.parts = {{"CPU 0", samples::software().summary}, {"CPU 1", {}}};
  EXPECT_EQ(text_of({interval}, kWide),
            R"(# not available: cycles, instructions: no hardware PMU (ENOENT)
#   time (s)         task-clock (ms)  context-switches    page-faults
       0.500  CPU 0         1,200.00                12         24,060
       0.500  CPU 1                -                 -              -
)");
}

// The first interval had no turn of it, and the next one counted it.
TEST(IntervalText, HasADashForWhatHadNoTurn) {
  Measurement slice;
  slice.events.resize(2);
  slice.events[0].name = "faults";
  slice.events[0].duty = Duty::turned;
  slice.events[1].name = "cycles";
  slice.events[1].duty = Duty::unsupported;
  Summary summary;
  summary.events.resize(2);
  summary.events[0].name = "faults";
  summary.events[0].status = Status::failed;
  summary.events[0].reason = "no turn";
  summary.events[1].name = "cycles";
  summary.events[1].status = Status::unsupported;
  summary.events[1].reason = "no hardware PMU";
  summary.metrics = {{"rate", "", {}, {}, "needs faults, which was not counted"},
                     {"CPI", "", {}, {}, "needs cycles, which was not counted"}};
  Summary next;
  next.events = {samples::counted("faults", 7)};
  next.metrics = {samples::metric("rate", "", 1.5, 0)};
  EXPECT_EQ(text_of({interval_of(summary, slice), interval_of(next, slice)}, kWide),
            R"(# not available: cycles: no hardware PMU
#   time (s)         faults           rate
       0.500              -              -
       1.000              7          1.500
)");
}

TEST(IntervalJson, IsOneObjectALineWithTheSchemasEvents) {
  const std::string line = interval_json(0.1, interval_of(samples::software().summary));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["interval"], 0.1);
  EXPECT_EQ(json["events"][1]["count"], 12);
  EXPECT_TRUE(json["events"][3]["count"].is_null());
  EXPECT_EQ(json["events"][3]["reason"], "no hardware PMU (ENOENT)");
}

TEST(IntervalCsv, HasARowAnEventAndNoNumberForTheMissing) {
  const auto rows = samples::read_csv(interval_start_csv() +
                                      interval_csv(0.1, interval_of(samples::software().summary)));
  using Row = samples::CsvRow;
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[2], (Row{"0.1", "event", "context-switches", "counted", "12", "12", "0", "", "1",
                          "0", "", "12", "12", ""}));
  EXPECT_EQ(rows[4], (Row{"0.1", "event", "cycles", "unsupported", "", "", "", "", "", "",
                          "no hardware PMU (ENOENT)", "", "", ""}));
  EXPECT_EQ(rows[6], (Row{"0.1", "metric", "CPI", "", "", "", "", "cycles per instruction", "", "",
                          "needs cycles, which was not counted", "", "", ""}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
