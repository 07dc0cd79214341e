// The totals of an interval: events without a counter are treated as in a whole run.
#include "measure/fill_measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "estimate/summarise.hpp"
#include "measure/run_warnings.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

// One event that counts all the time, without a reference: 100 a millisecond while it has a
// counter.
Measurement interval(std::vector<Reading>& before, const Reading& now) {
  Measurement slice;
  CountedEvent event;
  event.name = "instructions";
  event.duty = Duty::always;
  slice.events = {event};
  slice.always.resize(1);
  slice.always_running.resize(1, 1.0);
  fill_totals(slice, Plan(), gained_since(before, {now}));
  return slice;
}

TEST(FillMeasurement, AnEventWithACounterForPartOfAnIntervalIsAnEstimate) {
  std::vector<Reading> before;
  const Summary whole = summarise(interval(before, {1000, 10'000'000, 10'000'000}), {});
  EXPECT_EQ(whole.events[0].status, Status::counted);
  EXPECT_EQ(*whole.events[0].estimate, 1000);

  const Summary half = summarise(interval(before, {1500, 20'000'000, 15'000'000}), {});
  EXPECT_EQ(half.events[0].status, Status::estimated);
  EXPECT_EQ(*half.events[0].count, 500);
  EXPECT_EQ(*half.events[0].estimate, 1000);

  const Summary none = summarise(interval(before, {1500, 30'000'000, 15'000'000}), {});
  EXPECT_FALSE(none.events[0].estimate);
  EXPECT_THAT(none.events[0].reason, HasSubstr("never got a counter"));

  const Summary again = summarise(interval(before, {2500, 40'000'000, 25'000'000}), {});
  EXPECT_EQ(again.events[0].status, Status::counted);
  EXPECT_EQ(*again.events[0].estimate, 1000);
}

// A run of 0.25 s of CPU time. Children ended on other cores, so an old kernel has lost the 0.15 s
// in which cycles had no counter there.
class LostTime : public testing::Test {
 protected:
  LostTime() {
    for (const auto& [name, domain] :
         {std::pair("cycles", Domain::core), std::pair("page-faults", Domain::software)}) {
      Event event;
      event.name = name;
      event.domain = domain;
      plan_.events.push_back(event);
    }
    plan_.asked = 2;
    plan_.refused.resize(2);
    plan_.always = {{0}, {1}};
    m_ = blank_measurement(plan_, plan_.refused);
    m_.machine.pmu_kind = PmuKind::hardware;
    m_.workload.has_usage = true;
    m_.workload.user_s = 0.2;
    m_.workload.system_s = 0.05;
  }
  Summary summary(std::vector<Reading> always, std::uint64_t task_ns = 0) {
    hold_against_time(m_, plan_, always, task_ns);
    fill_totals(m_, plan_, always);
    return summarise(m_, {});
  }
  static constexpr Reading kLost{1'000'000, 100'000'000, 100'000'000};
  static constexpr Reading kWhole{700, 249'000'000, 249'000'000};
  Plan plan_;
  Measurement m_;
};

TEST_F(LostTime, ACountOfAPartOfTheTimeOfTheSoftwareEventsIsNoCountOfTheRun) {
  const Summary found = summary({kLost, kWhole});
  EXPECT_EQ(found.events[0].status, Status::estimated);
  EXPECT_NEAR(found.events[0].share, 0.4, 0.01);
  EXPECT_EQ(found.events[1].status, Status::counted);
  EXPECT_THAT(m_.warnings, testing::ElementsAre(HasSubstr("cycles: counted in 40.2 % of the")));
}

TEST_F(LostTime, AnEventThatOnlyKeepsTheTimeShowsItToo) {
  plan_.events[1].domain = Domain::core;
  const Summary found = summary({kLost, kLost}, 249'000'000);
  EXPECT_EQ(found.events[0].status, Status::estimated);
  EXPECT_THAT(m_.warnings,
              testing::ElementsAre(HasSubstr("cycles, page-faults: counted in 40.2 %")));
}

TEST_F(LostTime, IfMostOfTheCpuTimeIsMissingTheKernelTookTheEventsAway) {
  const Summary found = summary({kLost, kLost});
  for (const EventSummary& event : found.events) {
    EXPECT_EQ(event.status, Status::failed);
    EXPECT_FALSE(event.estimate);
    EXPECT_THAT(event.reason, HasSubstr("the kernel took the events away"));
    EXPECT_THAT(event.remedy, HasSubstr("count every CPU"));
  }
}

TEST_F(LostTime, EventsThatTakeTurnsWereTakenAwayToo) {
  m_.events[0].duty = Duty::turned;
  const Summary found = summary({kLost, kLost});
  EXPECT_THAT(found.events[0].reason, HasSubstr("the kernel took the events away"));
}

TEST_F(LostTime, TheStartAndTheEndOfManyProcessesAreMissedAndSaid) {
  constexpr Reading kMany{700, 167'000'000, 167'000'000};  // a program that only forks: two thirds
  EXPECT_EQ(summary({kMany, kMany}).events[0].status, Status::counted);
  EXPECT_THAT(m_.warnings,
              testing::ElementsAre(HasSubstr("on for 167.0 of the command's 250.0 ms")));
}

TEST_F(LostTime, AnEventThatCountedNextToNothingIsNotAvailable) {
  constexpr Reading kStart{0, 9'000, 9'000};  // from the exec of tacho's child to that of sudo
  const Summary found = summary({kStart, kStart});
  for (const EventSummary& event : found.events) {
    EXPECT_EQ(event.status, Status::failed);
    EXPECT_FALSE(event.estimate);
    EXPECT_THAT(event.reason, HasSubstr("the kernel took the events away"));
  }
}

TEST_F(LostTime, ACoreEventAloneThatCountedNextToNothingIsNotAvailable) {
  const Summary found = summary({{9, 9'000, 9'000}, kWhole});
  EXPECT_EQ(found.events[0].status, Status::failed);
  EXPECT_THAT(found.events[0].reason, HasSubstr("counted in 0.0036 % of the command's CPU time"));
  EXPECT_EQ(found.events[1].status, Status::counted);
}

TEST_F(LostTime, SharedCountersAreScaledByTheWholeTime) {
  // Half of the time in which the event was on, others had the counter; a half of the time is lost.
  const Summary found = summary({{1'000'000, 124'500'000, 62'250'000}, kWhole});
  EXPECT_NEAR(*found.events[0].estimate, 4'000'000, 1000);
}

TEST(FillMeasurement, WarnsIfACountedEventLeavesOutKernelMode) {
  Measurement m;
  m.events.resize(2);
  m.events[0].duty = Duty::always;
  m.events[1].duty = Duty::unsupported;
  m.events[1].narrowed = true;
  warn_of_restriction(m, "kernel.perf_event_paranoid = 2");
  EXPECT_THAT(m.warnings, testing::IsEmpty());
  m.events[0].narrowed = true;
  warn_of_restriction(m, "kernel.perf_event_paranoid = 2");
  EXPECT_THAT(m.warnings, testing::ElementsAre(HasSubstr(
                              "kernel mode is not counted (kernel.perf_event_paranoid = 2)")));
}

}  // namespace
}  // namespace tacho::TEST_FILE
