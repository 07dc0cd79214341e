// The counters of one target, if not all events of a plan can be opened.
#include "measure/target_counters.hpp"

#include <gtest/gtest.h>

#include <array>

#include "measure_fake_pmu.hpp"

namespace tacho {
namespace {

TEST(MeasureTargetCounters, SetsAreNotOpenedIfTheirReferenceCannotBeOpened) {
  FakePmu pmu;
  pmu.one_cycle_counter = true;
  std::vector<EventGroup> events;
  for (const char* name : {"a", "b", "c", "d", "e", "sw1"}) events.push_back({*pmu.resolve(name)});
  const Plan plan = make_plan(pmu, events, {});
  ASSERT_FALSE(plan.reference_in_sets);
  ASSERT_EQ(plan.sets.size(), 2U);
  pmu.refused = {"cycles"};  // for example because there are no more descriptors
  const auto target =
      TargetCounters::open(pmu, plan, Launched{1}, Start::at_exec, std::array<std::size_t, 1>());
  ASSERT_TRUE(target);
  for (std::size_t i = 0; i < plan.asked; ++i)
    EXPECT_EQ(target->refused()[i].has_value(), plan.events[i].name != "sw1")
        << plan.events[i].name;
  EXPECT_FALSE(target->opened(0) || target->opened(1));
}

}  // namespace
}  // namespace tacho
