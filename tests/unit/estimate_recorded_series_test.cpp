// Estimates of recorded runs whose truth is known: page faults, counted in one of four sets of
// software events on a virtual machine of two CPUs, scaled by task-clock.
//
// A file of recorded_series has, in its first line: the page faults that the kernel charged
// (getrusage), the number of sets, the whole task-clock (ns), the elapsed time (s), the part of it
// that turns took (s), and the charged CPU time (s). Each further line is a period: its round, its
// set, its task-clock (ns), and the count of the set's event. Set 0 counts page faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "estimate/summarise.hpp"

namespace tacho::TEST_FILE {
namespace {

struct RecordedSeries {
  const char* name;
  double error;       // limit: |estimate - truth| over the truth
  double half_width;  // limit: over the truth
  bool holds;         // whether the interval holds the truth
  bool warns;         // whether there is a warning that the CPU was taken away
};

void PrintTo(const RecordedSeries& series, std::ostream* out) {
  *out << series.name;
}

struct Replay {
  Measurement measurement;
  double truth = 0;
};

Replay read_series(const std::string& name) {
  std::ifstream file(std::string(TACHO_SOURCE_DIR) + "/tests/unit/recorded_series/" + name +
                     ".txt");
  Replay replay;
  Measurement& m = replay.measurement;
  double charged_s = 0;
  file >> replay.truth >> m.sets >> m.reference_total >> m.workload.elapsed_s >> m.turning_s >>
      charged_s;
  m.workload.has_usage = true;
  m.workload.user_s = charged_s;
  m.reference = "task-clock";
  m.period_ms = 10;
  for (std::uint32_t set = 0; set < m.sets; ++set) {
    CountedEvent event;
    event.name = set == 0 ? "page-faults" : "another";
    event.duty = Duty::turned;
    event.set = set;
    m.events.push_back(event);
  }
  Period period;
  std::uint64_t count = 0;
  while (file >> period.round >> period.set >> period.reference >> count) {
    period.enabled_ns = period.running_ns = period.reference;
    period.counts = {count};
    m.periods.push_back(period);
  }
  return replay;
}

class Series : public testing::TestWithParam<RecordedSeries> {};

TEST_P(Series, IsEstimatedAsWellAsPromised) {
  const RecordedSeries& expected = GetParam();
  const auto [measurement, truth] = read_series(expected.name);
  ASSERT_GT(measurement.periods.size(), 200U);
  const Summary summary = summarise(measurement, {});
  const EventSummary& faults = summary.events[0];
  ASSERT_TRUE(faults.estimate && faults.ci95);
  const double error = std::fabs(*faults.estimate - truth);
  EXPECT_LT(error / truth, expected.error);
  EXPECT_LT(*faults.ci95 / truth, expected.half_width);
  EXPECT_EQ(error <= *faults.ci95, expected.holds);
  const auto taken = testing::Contains(testing::HasSubstr("the CPU was taken away"));
  if (expected.warns)
    EXPECT_THAT(summary.warnings, taken);
  else
    EXPECT_THAT(summary.warnings, testing::Not(taken));
}

// Errors and half-widths (%) with one rate for the whole run, and no doubt about stolen time: drift
// 4.1 (9.1), loaded 5.5 (3.0), stolen 9.1 (1.0), 7.6 (0.7), 11.4 (8.3) and 12.4 (1.3). Only the
// first interval held. In the last five series, nearly all of the stolen time lay in the turns of
// other sets. The periods of stolen_4_percent do not show all of it.
INSTANTIATE_TEST_SUITE_P(
    Recorded, Series,
    testing::Values(RecordedSeries{"drift", 0.023, 0.028, true, false},
                    RecordedSeries{"loaded", 0.035, 0.038, true, true},
                    RecordedSeries{"stolen_4_percent", 0.045, 0.028, false, true},
                    RecordedSeries{"stolen_6_percent", 0.006, 0.040, true, true},
                    RecordedSeries{"stolen_8_percent", 0.104, 0.565, true, true},
                    RecordedSeries{"stolen_11_percent", 0.026, 0.071, true, true}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace tacho::TEST_FILE
