// The counters of one target: events that cannot be opened or read, and events that count on while
// they are off.
#include "measure/target_counters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "measure/fill_measurement.hpp"

#include <array>

#include "measure_fake_pmu.hpp"

namespace tacho::TEST_FILE {
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

// Groups whose readings the test sets: each event of the groups that are on counts `per_turn`, and
// a group that is off counts `leaked`.
class ScriptedPmu final : public Pmu {
 public:
  std::uint64_t per_turn = 100;
  std::uint64_t leaked = 0;
  bool readable = true;
  bool refuses_alone = false;  // groups of one event

  Capabilities capabilities() const override {
    Capabilities of_hardware;
    of_hardware.kind = PmuKind::hardware;
    return of_hardware;
  }
  Result<Event> resolve(std::string_view spec) const override {
    Event event;
    event.name = spec;
    event.domain = Domain::core;
    return event;
  }
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target&,
                                             Start) override {
    if (refuses_alone && events.size() == 1) return failure("too many open files", "", EMFILE);
    groups_.push_back(new Group(*this, events.size()));
    return std::unique_ptr<CounterGroup>(groups_.back());
  }
  void a_turn_passes() {
    for (Group* group : groups_) {
      const std::uint64_t more = group->on ? per_turn : leaked;
      for (Reading& reading : group->all) reading += {more, more, more};
    }
  }

 private:
  struct Group final : CounterGroup {
    Group(ScriptedPmu& from, std::size_t size) : pmu(from), all(size) {}
    Result<void> enable() override {
      on = true;
      return {};
    }
    Result<void> disable() override {
      on = false;
      return {};
    }
    Result<void> read(std::span<Reading> readings) override {
      if (!pmu.readable) return failure("cannot read a counter", "", ECHILD);
      std::ranges::copy(all, readings.begin());
      return {};
    }
    ScriptedPmu& pmu;
    bool on = false;
    std::vector<Reading> all;
  };
  std::vector<Group*> groups_;
};

// Two sets of one event, and their reference.
Plan plan_of_two_sets(const ScriptedPmu& pmu, bool reference_in_sets) {
  Plan plan;
  for (const char* name : {"a", "b", "cycles"}) plan.events.push_back(*pmu.resolve(name));
  plan.asked = 2;
  plan.refused.resize(3);
  plan.always = {{2}};
  plan.sets = {{0}, {1}};
  plan.reference = 2;
  plan.reference_in_sets = reference_in_sets;
  return plan;
}

TargetCounters opened(ScriptedPmu& pmu, const Plan& plan) {
  auto target = TargetCounters::open(pmu, plan, Process{1}, Start::stopped, {});
  EXPECT_TRUE(target && target->start_always());
  return std::move(*target);
}

Period turn(ScriptedPmu& pmu, TargetCounters& target, std::size_t set) {
  Period period;
  period.set = static_cast<std::uint32_t>(set);
  (void)target.turn_on(set);
  pmu.a_turn_passes();
  (void)target.turn_off(set, period);
  return period;
}

// A grandchild whose fork met the end of a turn goes on counting.
TEST(MeasureTargetCounters, WhatASetCountsWhileItIsOffIsNotPutBesideTheReferenceOfItsTurn) {
  ScriptedPmu pmu;
  const Plan plan = plan_of_two_sets(pmu, false);
  TargetCounters target = opened(pmu, plan);
  pmu.leaked = 30;
  for (int i = 0; i < 5; ++i) {
    for (const std::size_t set : {0U, 1U}) {
      const Period period = turn(pmu, target, set);
      EXPECT_EQ(period.counts, std::vector<std::uint64_t>{100});
      EXPECT_EQ(period.reference, 100U);
      EXPECT_EQ(period.enabled_ns, 100U);
    }
  }
}

TEST(MeasureTargetCounters, ASetThatCountsItsReferenceKeepsTheirRatioIfItCountsWhileItIsOff) {
  ScriptedPmu pmu;
  const Plan plan = plan_of_two_sets(pmu, true);
  TargetCounters target = opened(pmu, plan);
  pmu.leaked = 30;
  for (int i = 0; i < 5; ++i) {
    for (const std::size_t set : {0U, 1U}) {
      const Period period = turn(pmu, target, set);
      EXPECT_EQ(period.counts.front(), period.reference);
    }
  }
}

// The sets have their own ratios to the reference, but nothing says how much there was in all.
TEST(MeasureTargetCounters, ASetThatCountsItsReferenceIsUselessWithoutTheWholeOfIt) {
  ScriptedPmu pmu;
  pmu.refuses_alone = true;
  const Plan plan = plan_of_two_sets(pmu, true);
  const auto target = TargetCounters::open(pmu, plan, Process{1}, Start::stopped, {});
  ASSERT_TRUE(target);
  EXPECT_FALSE(target->opened(0) || target->opened(1));
  for (const std::size_t event : {0U, 1U})
    EXPECT_EQ(target->refused()[event].value_or(Error()).code, EMFILE);
}

TEST(MeasureTargetCounters, SetsOfAPlanWithoutAReferenceAreNotEstimatedAsZero) {
  ScriptedPmu pmu;
  Plan plan = plan_of_two_sets(pmu, true);
  plan.reference.reset();
  const auto target = TargetCounters::open(pmu, plan, Process{1}, Start::stopped, {});
  ASSERT_TRUE(target);
  EXPECT_FALSE(target->opened(0) || target->opened(1));
  EXPECT_TRUE(target->refused()[0] && target->refused()[1]);
}

TEST(MeasureTargetCounters, ATurnThatCannotBeReadHasNeitherCountsNorAReference) {
  for (const bool in_sets : {false, true}) {
    ScriptedPmu pmu;
    const Plan plan = plan_of_two_sets(pmu, in_sets);
    TargetCounters target = opened(pmu, plan);
    pmu.readable = false;
    const Period unread = turn(pmu, target, 0);
    EXPECT_EQ(unread.counts, std::vector<std::uint64_t>{0});
    EXPECT_EQ(unread.reference, 0U);
    pmu.readable = true;
    const Period read = turn(pmu, target, 0);
    EXPECT_EQ(read.counts.front(), read.reference);
  }
}

// The kernel says ECHILD as long as a child lives that has only a part of the group.
TEST(MeasureTargetCounters, WhatIsNeverReadIsNotCounted) {
  ScriptedPmu pmu;
  pmu.readable = false;
  const Plan plan = plan_of_two_sets(pmu, true);
  std::vector<TargetCounters> targets;
  targets.push_back(opened(pmu, plan));
  Measurement m = blank_measurement(plan, plan.refused);
  m.periods = {turn(pmu, targets.front(), 0), turn(pmu, targets.front(), 1)};
  std::vector<Reading> always;
  (void)targets.front().read_always(always);
  fill_totals(m, plan, always, targets);
  for (const CountedEvent& event : m.events) {
    EXPECT_EQ(event.duty, Duty::failed) << event.name;
    EXPECT_EQ(event.reason, "cannot read a counter") << event.name;
  }
}

TEST(MeasureTargetCounters, AnEventThatCountsAlwaysIsCountedIfItsLastReadingSucceeded) {
  ScriptedPmu pmu;
  Plan plan;
  plan.events = {*pmu.resolve("a")};
  plan.asked = 1;
  plan.refused.resize(1);
  plan.always = {{0}};
  std::vector<TargetCounters> targets;
  targets.push_back(opened(pmu, plan));
  const auto duty = [&] {
    Measurement m = blank_measurement(plan, plan.refused);
    std::vector<Reading> always;
    (void)targets.front().read_always(always);
    fill_totals(m, plan, always, targets);
    return m.events.front().duty;
  };
  pmu.readable = false;
  EXPECT_EQ(duty(), Duty::failed);
  pmu.readable = true;
  EXPECT_EQ(duty(), Duty::always);
  pmu.readable = false;
  EXPECT_EQ(duty(), Duty::failed);
}

}  // namespace
}  // namespace tacho::TEST_FILE
