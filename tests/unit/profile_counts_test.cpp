// How often events occurred: by their counters, or by the samples alone; and how reports write it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <nlohmann/json.hpp>

#include "events_made_up_tree.hpp"
#include "profile/report.hpp"
#include "profile/table_cells.hpp"
#include "profile_made_up_recording.hpp"
#include "unwrapped.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Page faults of two functions, as the kernel samples them by frequency: the periods grow until the
// last one, which did not end. There were 120.
class RareEvents : public testing::Test {
 protected:
  RareEvents() : recording({"page-faults"}) {
    tree.write("perf-5.map", "1000 100 first\n1200 100 second\n");
    perfdata::RecordedEvent& event = recording.description.events[0];
    event.type = PERF_TYPE_SOFTWARE;
    event.config = PERF_COUNT_SW_PAGE_FAULTS;
    event.period = 0;
    event.frequency = 999;
    recording.map(5, 0x1000, 0x1000, "//anon");
    for (const std::uint64_t period : {1U, 1U, 1U, 6U, 100U})
      recording.sample(5, 0x1010, 0, period);
    recording.sample(5, 0x1210, 0, 17'068);
  }
  ProfileSummary summary() {
    recording.finished();
    SymbolSources sources;
    sources.perf_maps = tree.path();
    Resolver resolver(recording.finished().modules(), recording.description, sources);
    return summarize(recording.profile, recording.description, resolver, SortBy::function, 0, {});
  }

  MadeUpTree tree;
  MadeUpRecording recording;
};

TEST_F(RareEvents, TheCountIsTheTotalAndSharesArePartsOfIt) {
  recording.description.counted = {120};
  const ProfileSummary found = summary();
  const std::string text = unwrapped(profile_text(found, 0, {}));
  EXPECT_THAT(text,
              HasSubstr("6 samples, 999 a second asked for, standing for 120 events (counted)"));
  EXPECT_THAT(text, Not(HasSubstr("17")));
  const json document = json::parse(profile_json(found, 0, "1"));
  EXPECT_EQ(document["events"][0]["count"], 120);
  EXPECT_EQ(document["events"][0]["counted"], 120);
  std::uint64_t sum = 0;
  for (const json& row : document["rows"]) {
    sum += row["count"].get<std::uint64_t>();
    EXPECT_GE(row["events"][0]["ci95"][0], 0);
    EXPECT_LE(row["events"][0]["ci95"][1], 120);
  }
  EXPECT_NEAR(static_cast<double>(sum), 120, 1);
  EXPECT_LT(found.rows[0].ci95.low, 0.6) << "one sample holds nearly all of the share";
  EXPECT_TRUE(found.warnings.empty());
}

TEST_F(RareEvents, WithoutACountThereIsAnIntervalAndAWarning) {
  const ProfileSummary found = summary();
  EXPECT_THAT(unwrapped(profile_text(found, 0, {})), HasSubstr("standing for 109 to 17177 events"));
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_THAT(found.warnings[0],
              HasSubstr("how often page-faults occurred is not known: 109 to 17177 times"));
  EXPECT_LT(found.rows[0].counts95[0].low, 109);
}

TEST_F(RareEvents, EachThreadHasAPeriodThatDidNotEnd) {
  recording.sample(7, 0x1010, 0, 50);
  recording.finished();
  EXPECT_EQ(recording.profile.not_ended(0), 17'068U + 50);
}

TEST_F(RareEvents, OfChosenSamplesTheCountIsAPart) {
  perfdata::Record record;
  perfdata::Sample sample;
  sample.ip = 0x1010;
  sample.period = 17'177;  // as many events as the others
  record.what = sample;
  recording.profile.add(record, recording.description, false);
  recording.description.counted = {240};
  EXPECT_THAT(unwrapped(profile_text(summary(), 0, {})),
              HasSubstr("standing for about 120 of 240 events"));
}

// Its counter also counts the time in the mode that is not sampled.
TEST(Counts, AClockOfOneModeHasNone) {
  MadeUpRecording recording({"cpu-clock:u", "cpu-clock"});
  recording.description.counted = {2000, 2000};
  for (perfdata::RecordedEvent& event : recording.description.events)
    event.type = PERF_TYPE_SOFTWARE;
  recording.description.events[0].exclude_kernel = true;
  recording.map(5, 0x1000, 0x1000, "/program");
  recording.sample(5, 0x1000, 0);
  recording.sample(5, 0x1000, 1);
  recording.finished();
  EXPECT_EQ(recording.profile.scale(0), 1);
  EXPECT_EQ(recording.profile.scale(1), 2);
}

TEST(Counts, IfEachEventWasASampleTheyAreCounted) {
  MadeUpRecording recording({"page-faults"});
  recording.description.events[0].period = 1;
  recording.description.counted = {3};
  recording.map(5, 0x1000, 0x1000, "/program");
  recording.sample(5, 0x1000, 0, 1);
  recording.finished();
  EXPECT_EQ(recording.profile.counted(0), std::nullopt);
  EXPECT_EQ(recording.profile.scale(0), 1);
}

// The cost of all samples, and the CPU time of the program.
TEST_F(RareEvents, OverheadIsOfTheCpuTimeThatWasMeasured) {
  recording.description.sample_cost_ns = 1000;
  EXPECT_EQ(summary().overhead, std::nullopt) << "the CPU time is not known";
  recording.description.cpu_time_ns = 60'000;
  const ProfileSummary found = summary();
  EXPECT_EQ(found.overhead, 0.1);
  EXPECT_THAT(unwrapped(profile_text(found, 0, {})),
              HasSubstr("1.0 µs a sample, measured after the run: 10.0 % of 0.1 ms of CPU time"));
}

std::vector<std::string> cells(const SampledEvent& event, const std::vector<SampleCount>& counts,
                               double half_width) {
  CountColumn column(event);
  const auto interval = [&](const SampleCount& count) {
    const auto sum = static_cast<double>(count.sum);
    return CountInterval{sum - half_width, sum + half_width};
  };
  for (const SampleCount& count : counts) column.note(count, interval(count));
  std::vector<std::string> texts;
  for (const SampleCount& count : counts) texts.push_back(column.cell(count, interval(count), {}));
  return texts;
}

TEST(CountColumn, ItsNumbersHaveTheDigitsOfSharesAndOneLastPlace) {
  SampledEvent clock{
      .name = "cpu-clock", .count = {370, 369'400'000, 1}, .unsampled = {}, .clock = true};
  EXPECT_THAT(cells(clock, {{80, 80'340'000, 1}, {4, 3'960'000, 1}, {1, 10'000, 1}}, 7e6),
              ElementsAre("~80.3 ms", "~4.0 ms", "<0.1 ms"));
  // Two digits of the narrowest interval.
  EXPECT_THAT(cells(clock, {{80, 80'340'000, 1}, {4, 3'960'000, 1}}, 30e6),
              ElementsAre("~80 ms", "~4 ms"));
  SampledEvent faults{.name = "page-faults", .count = {370, 120, 1}, .unsampled = {}};
  EXPECT_THAT(cells(faults, {{80, 80, 1}, {0, 0, 0}}, 10), ElementsAre("~80", "~0"));
  SampledEvent cycles{.name = "cycles", .count = {1000, 7'703'000'000, 1}, .unsampled = {}};
  EXPECT_THAT(cells(cycles, {{217, 1'671'551'000, 1}}, 1e8), ElementsAre("~1670000000"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
