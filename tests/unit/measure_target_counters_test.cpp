// The counters of one target: what is counted where not all of a plan can be opened.
#include "measure/target_counters.hpp"

#include <gtest/gtest.h>

#include "measure_fake_pmu.hpp"

namespace tacho {
namespace {

TEST(MeasureLane, SetsTakeNoOtherEventForTheReferenceThatCouldNotBeOpened) {
  FakePmu pmu;
  pmu.one_cycle_counter = true;
  std::vector<EventGroup> events;
  for (const char* name : {"a", "b", "c", "d", "e", "sw1"}) events.push_back({*pmu.resolve(name)});
  const Plan plan = make_plan(pmu, events, {});
  ASSERT_FALSE(plan.reference_in_sets);
  ASSERT_EQ(plan.sets.size(), 2U);
  pmu.refused = {"cycles"};  // as where descriptors run out
  const auto lane = TargetCounters::open(pmu, plan, Launched{1}, Start::at_exec, 0);
  ASSERT_TRUE(lane);
  for (std::size_t i = 0; i < plan.asked; ++i)
    EXPECT_EQ(lane->refused()[i].has_value(), plan.events[i].name != "sw1") << plan.events[i].name;
  EXPECT_FALSE(lane->opened(0) || lane->opened(1));
}

}  // namespace
}  // namespace tacho
