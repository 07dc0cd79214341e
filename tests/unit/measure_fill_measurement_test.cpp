// The totals of an interval: events without a counter are treated as in a whole run.
#include "measure/fill_measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimate/summarise.hpp"
#include "measure/run_warnings.hpp"

namespace tacho {
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
}  // namespace tacho
