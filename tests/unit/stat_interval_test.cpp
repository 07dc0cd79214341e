// The lines of -I.
#include "stat/interval.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

const NumberStyle kBritish{",", ".", "\3"};

TEST(IntervalText, OfASimulationSaysSoFirst) {
  Measurement slice;
  slice.machine.pmu_kind = PmuKind::simulated;
  slice.machine.pmu_name = "host";
  EXPECT_TRUE(interval_start_text({}, slice).starts_with(
      "# simulated, in simulated time (host)\n#   time (s)"));
}

TEST(IntervalText, SaysOnceWhatIsMissingAndThenOnlyCounts) {
  const Summary summary = samples::software().summary;
  EXPECT_EQ(interval_start_text(summary, {}),
            R"(# not available: cycles, instructions (no hardware PMU (ENOENT))
# not available: CPI (not all events of the formula were counted)
#   time (s)                count 95 %             event
)");
  EXPECT_EQ(interval_text(0.1004, summary, {}, kBritish),
            R"(       0.100             1,200.00 ms               task-clock
       0.100                   12                  context-switches
       0.100               24,060                  page-faults
)");
}

TEST(IntervalText, PutsTheUncertaintyBesideAnEstimate) {
  Summary summary;
  summary.events = {samples::estimated("page-faults", 24060.4, 289, 0.5, 20)};
  summary.metrics = {samples::metric("miss ratio", "%", 20.1, 0.4)};
  EXPECT_EQ(interval_text(1234.5, summary, {}, kBritish),
            R"(   1,234.500              ~24,060 ± 1.2 %          page-faults
   1,234.500                 20.1 % (19.7…20.5)    miss ratio
)");
}

// The first interval said of it that it is not available, and the next ones counted it.
TEST(IntervalText, SaysEachTimeWhatHadNoTurn) {
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
  const std::string start = interval_start_text(summary, slice);
  EXPECT_EQ(start.find("faults"), start.npos) << start;
  EXPECT_EQ(start.find("rate"), start.npos) << start;
  EXPECT_NE(start.find("# not available: cycles (no hardware PMU)"), start.npos) << start;
  EXPECT_NE(start.find("# not available: CPI"), start.npos) << start;
  EXPECT_EQ(interval_text(0.5, summary, slice, kBritish),
            R"(       0.500                    -                  faults (no turn)
       0.500                    -                  rate (needs faults, which was not counted)
)");
}

TEST(IntervalJson, IsOneObjectALineWithTheSchemasEvents) {
  const std::string line = interval_json(0.1, samples::software().summary);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["interval"], 0.1);
  EXPECT_EQ(json["events"][1]["count"], 12);
  EXPECT_TRUE(json["events"][3]["count"].is_null());
  EXPECT_EQ(json["events"][3]["reason"], "no hardware PMU (ENOENT)");
}

TEST(IntervalCsv, HasARowAnEventAndNoNumberForTheMissing) {
  const auto rows =
      samples::read_csv(interval_start_csv() + interval_csv(0.1, samples::software().summary));
  using Row = samples::CsvRow;
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[2], (Row{"0.1", "event", "context-switches", "counted", "12", "12", "0", "", "1",
                          "0", "", "12", "12"}));
  EXPECT_EQ(rows[4], (Row{"0.1", "event", "cycles", "unsupported", "", "", "", "", "", "",
                          "no hardware PMU (ENOENT)", "", ""}));
  EXPECT_EQ(rows[6], (Row{"0.1", "metric", "CPI", "", "", "", "", "cycles per instruction", "", "",
                          "needs cycles, which was not counted", "", ""}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
