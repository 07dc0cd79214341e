// What tacho says about a recording that it has made.
#include "record/recording_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Event named(const std::string& name) {
  Event event;
  event.name = name;
  event.domain = Domain::core;
  return event;
}

Event clock_event(const std::string& name) {
  Event event = named(name);
  event.unit = "ns";
  return event;
}

Event part(const std::string& core_pmu, const std::string& cpus, const std::string& part_of) {
  Event event = named(core_pmu + "/cycles/");
  event.core_pmu = core_pmu;
  event.cpus = cpus;
  event.part_of = part_of;
  return event;
}

TEST(RecordingNotesTest, MappingRecordsThatWereLostAreNoSamples) {
  RecordResult result;
  result.lost = 900'000;
  result.most_lost_samples = 3'400;
  const std::vector<std::string> mappings = result_warnings(result, {}, false, {});
  ASSERT_EQ(mappings.size(), 1U);
  EXPECT_THAT(mappings[0], StartsWith("900000 records lost: "));
  EXPECT_THAT(mappings[0], HasSubstr("At most 3400 of them were samples"));
  EXPECT_THAT(mappings[0], HasSubstr("functions may have no name"));
  EXPECT_THAT(mappings[0], Not(HasSubstr("-F"))) << "a lower rate would not help";
  result.most_lost_samples = 900'000;
  EXPECT_THAT(result_warnings(result, {}, false, {}).front(), HasSubstr("Sample less often (-F"));
}

TEST(RecordingNotesTest, LostRecordsAndPausesComeAfterTheWarningsOfTheRun) {
  RecordResult result;
  result.warnings = {"a CPU went offline"};
  result.lost = 1;
  result.throttled = 3;
  EXPECT_THAT(result_warnings(result, {}, false, {}),
              ElementsAre("a CPU went offline", StartsWith("1 record lost: "),
                          StartsWith("the kernel stopped sampling 3 times ")));
}

TEST(RecordingNotesTest, AnEventWithoutACounterForPartOfTheTimeIsNamed) {
  Event switches = named("context-switches");
  switches.domain =
      Domain::software;  // its times are those of many threads, at slightly other moments
  const std::vector<EventGroup> groups{{named("a")}, {named("b"), named("c")}, {switches}};
  RecordResult result;
  result.coverage = {0.995, 0.5, std::nullopt, 0.9};
  EXPECT_THAT(result_warnings(result, groups, false, {}),
              ElementsAre(StartsWith("b had a counter for only 50 % of the time")));
}

TEST(RecordingNotesTest, PartsOfAnEventCoverTheTimeTogether) {
  const std::vector<EventGroup> groups{{part("big", "4-7", "cycles")},
                                       {part("small", "0-3", "cycles")}};
  RecordResult result;
  result.coverage = {0.25, 0.75};
  EXPECT_THAT(result_warnings(result, groups, false, {}), IsEmpty());
  result.coverage = {0.25, 0.5};
  EXPECT_THAT(result_warnings(result, groups, false, {}),
              ElementsAre(StartsWith("cycles had a counter for only 75 % of the time")));
}

TEST(RecordingNotesTest, AnEventOfOneKindOfCoreLacksTheOthers) {
  const std::vector<EventGroup> groups{{part("big", "4-7", "")}};
  RecordResult result;
  result.coverage = {0.25};
  EXPECT_THAT(result_warnings(result, groups, false, {}),
              ElementsAre(AllOf(StartsWith("big/cycles/ was sampled on its own cores only"),
                                HasSubstr("4-7"))));
}

TEST(RecordingNotesTest, PeriodsOfClocksCanBeTooShortButNotInASimulation) {
  const std::vector<EventGroup> groups{{clock_event("cpu-clock"), named("page-faults")}};
  SampleSpec spec;
  RecordResult result;
  EXPECT_THAT(permission_warnings(result, groups, spec, {}), IsEmpty());
  spec.period = 10'000;
  EXPECT_THAT(permission_warnings(result, groups, spec, {}), IsEmpty());
  spec.period = 9'999;
  EXPECT_THAT(permission_warnings(result, groups, spec, {}),
              ElementsAre(StartsWith("cpu-clock was sampled once in 10000 ns")));
  result.simulated = "skylake";
  EXPECT_THAT(permission_warnings(result, groups, spec, {}), IsEmpty());
}

TEST(RecordingNotesTest, KernelModeThatTheUserDidNotLeaveOutIsMissed) {
  Capabilities pmu;
  pmu.restriction = "perf_event_paranoid is 2";
  Event event = named("cycles");
  event.exclude_kernel = true;
  EXPECT_THAT(permission_warnings({}, std::vector<EventGroup>{{event}}, {}, pmu),
              ElementsAre(StartsWith("kernel mode is not sampled (perf_event_paranoid is 2): ")));
  event.any_level = false;  // as with cycles:u
  EXPECT_THAT(permission_warnings({}, std::vector<EventGroup>{{event}}, {}, pmu), IsEmpty());
}

}  // namespace
}  // namespace tacho::TEST_FILE
