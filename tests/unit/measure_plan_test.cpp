// Plans: which events count all the time, which sets take turns, and which events cannot be
// counted.
#include "measure/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure_fake_pmu.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Names = std::vector<std::vector<std::string>>;

std::vector<EventGroup> groups(const FakePmu& pmu, const Names& names) {
  std::vector<EventGroup> result;
  for (const auto& group : names) {
    result.emplace_back();
    for (const std::string& name : group) result.back().push_back(*pmu.resolve(name));
  }
  return result;
}

Names named(const Plan& plan, const std::vector<std::vector<std::size_t>>& indices) {
  Names result;
  for (const auto& group : indices) {
    result.emplace_back();
    for (const std::size_t index : group) result.back().push_back(plan.events[index].name);
  }
  return result;
}

TEST(MeasurePlan, EventsThatFitCountAllTheTimeInOneGroup) {
  FakePmu pmu;
  const Plan plan =
      make_plan(pmu, groups(pmu, {{"cycles"}, {"instructions", "branches"}, {"sw1"}}), {});
  EXPECT_THAT(plan.sets, IsEmpty());
  EXPECT_THAT(named(plan, plan.always),
              ElementsAre(ElementsAre("cycles", "instructions", "branches"), ElementsAre("sw1")));
  EXPECT_FALSE(plan.reference) << "there is nothing to scale";
}

TEST(MeasurePlan, TooManyEventsTakeTurnsAndTheReferenceIsCountedTwice) {
  FakePmu pmu;  // four counters: two for cycles (always, and in the set), two for the set
  const Plan plan =
      make_plan(pmu, groups(pmu, {{"cycles"}, {"a", "b"}, {"c", "d"}, {"e"}, {"sw1"}}), {});
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e")));
  EXPECT_THAT(named(plan, plan.always), ElementsAre(ElementsAre("cycles"), ElementsAre("sw1")));
  EXPECT_EQ(plan.events[*plan.reference].name, "cycles");
  EXPECT_EQ(plan.counters, 2);
}

TEST(MeasurePlan, IfCyclesCanBeCountedOnlyOnceTheSetsHaveNoReferenceOfTheirOwn) {
  FakePmu pmu;
  pmu.one_cycle_counter = true;  // four counters: one for cycles (always), three for a set
  const Plan plan = make_plan(pmu, groups(pmu, {{"a", "b", "c"}, {"d", "e"}}), {});
  EXPECT_FALSE(plan.reference_in_sets);
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("d", "e")));
  EXPECT_EQ(plan.events[*plan.reference].name, "cycles");
}

TEST(MeasurePlan, TwoCountersAreEnoughToTakeTurns) {
  FakePmu pmu;
  pmu.counters = 2;
  const Plan plan = make_plan(pmu, groups(pmu, {{"a"}, {"b"}, {"c"}}), {});
  EXPECT_FALSE(plan.reference_in_sets);
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("a"), ElementsAre("b"), ElementsAre("c")));
}

TEST(MeasurePlan, SmallPiecesShareASet) {
  FakePmu pmu;
  pmu.counters = 5;
  const Plan plan = make_plan(pmu, groups(pmu, {{"a"}, {"b"}, {"c"}, {"d", "e"}, {"f"}}), {});
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("d", "e", "f")));
}

class MeasurePlanOvercommitted : public testing::TestWithParam<unsigned> {};

TEST_P(MeasurePlanOvercommitted, AGroupThatDoesNotRunAllTheTimeIsDividedBeforeTheRun) {
  FakePmu pmu;
  pmu.overcommits = GetParam();
  const Plan plan = make_plan(pmu, groups(pmu, {{"a", "b", "c", "d", "e"}}), {});
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e")));
  EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("needs more counters than there are")));
}

INSTANTIATE_TEST_SUITE_P(NeverOrByTurns, MeasurePlanOvercommitted, testing::Values(0U, 5U));

TEST(MeasurePlan, EventsOfUserModeHaveCyclesOfUserModeAsReference) {
  FakePmu pmu;
  const Names user = {{"a:u", "b:u"}, {"c:u", "d:u"}, {"e:u"}};
  EXPECT_EQ(make_plan(pmu, groups(pmu, user), {}).events.back().name, "cycles:u");
  const Names mixed = {{"a:u", "b:u"}, {"c:u", "d"}, {"e:u"}};
  EXPECT_EQ(make_plan(pmu, groups(pmu, mixed), {}).events.back().name, "cycles");
}

TEST(MeasurePlan, ARefusedEventDoesNotExcludeTheOthers) {
  FakePmu pmu;
  pmu.refused = {"b"};
  const Plan plan = make_plan(pmu, groups(pmu, {{"a", "b"}, {"c"}}), {});
  EXPECT_THAT(named(plan, plan.always), ElementsAre(ElementsAre("a", "c")));
  ASSERT_TRUE(plan.refused[1]);
  EXPECT_EQ(plan.refused[1]->code, ENOENT);
  EXPECT_EQ(plan.asked, 3U);
}

// Intel: arch/x86/events/intel/core.c takes the metrics behind slots alone.
TEST(MeasurePlan, AGroupThatNeedsItsLeaderKeepsIt) {
  FakePmu pmu;
  pmu.leaders = {{"topdown-retiring", "slots"}, {"topdown-be-bound", "slots"}};
  const std::vector<std::string> led = {"slots", "topdown-retiring", "topdown-be-bound"};
  const Plan all = make_plan(pmu, groups(pmu, {{"cycles"}, led}), {});
  EXPECT_THAT(named(all, all.always), UnorderedElementsAre(ElementsAre("cycles"), led));
  const Plan turns = make_plan(pmu, groups(pmu, {{"a", "b"}, led, {"c", "d"}, {"e"}}), {});
  EXPECT_THAT(turns.refused, testing::Each(testing::Eq(std::nullopt)));
  EXPECT_EQ(turns.events[turns.always.front().front()].name, "cycles") << "the reference";
  EXPECT_THAT(named(turns, turns.always), testing::Contains(led));
  EXPECT_THAT(named(turns, turns.sets),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e")));
}

TEST(MeasurePlan, WithoutItsLeaderAnEventIsRefusedAndTheOthersAreNot) {
  FakePmu pmu;
  pmu.leaders = {{"topdown-retiring", "slots"}};
  const Plan plan = make_plan(pmu, groups(pmu, {{"a", "topdown-retiring"}}), {});
  EXPECT_THAT(named(plan, plan.always), ElementsAre(ElementsAre("a")));
  ASSERT_TRUE(plan.refused[1]);
  EXPECT_THAT(plan.refused[1]->what, HasSubstr("needs its leader"));
}

TEST(MeasurePlan, WithoutCyclesTaskClockIsTheReference) {
  FakePmu pmu;
  pmu.has_cycles = false;
  const Plan plan = make_plan(pmu, groups(pmu, {{"a", "b"}, {"c", "d"}, {"e"}}), {});
  EXPECT_EQ(plan.events[*plan.reference].name, "task-clock");
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("a", "b", "c", "d"), ElementsAre("e")));
}

TEST(MeasurePlan, CyclesThatAreRefusedAreNoReference) {
  FakePmu pmu;
  pmu.refused = {"cycles"};
  const Plan plan = make_plan(pmu, groups(pmu, {{"cycles"}, {"a", "b", "c", "d"}, {"e"}}), {});
  EXPECT_TRUE(plan.refused[0]);
  EXPECT_EQ(plan.events[*plan.reference].name, "task-clock");
}

TEST(MeasurePlan, PretendedCountersMakeSoftwareEventsTakeTurns) {
  FakePmu pmu;
  const Plan plan = make_plan(pmu, groups(pmu, {{"sw1"}, {"sw2", "sw3"}, {"task-clock"}}), 1);
  EXPECT_THAT(named(plan, plan.sets),
              ElementsAre(ElementsAre("sw1"), ElementsAre("sw2"), ElementsAre("sw3")));
  EXPECT_THAT(named(plan, plan.always), ElementsAre(ElementsAre("task-clock")))
      << "the reference counts always";
  EXPECT_EQ(plan.counters, 1);
  EXPECT_THAT(plan.warnings, ElementsAre(HasSubstr("take turns")));
}

TEST(MeasurePlan, ASingleSetTakesNoTurnsAndIsNotScaled) {
  FakePmu pmu;
  for (const auto& asked : {Names{{"a"}, {"b"}, {"cycles"}}, Names{{"cycles", "b"}, {"a"}}}) {
    const Plan plan = make_plan(pmu, groups(pmu, asked), 2);
    EXPECT_THAT(plan.sets, IsEmpty());
    EXPECT_THAT(plan.truth, IsEmpty());
    EXPECT_FALSE(plan.reference);
    EXPECT_THAT(named(plan, plan.always),
                UnorderedElementsAre(ElementsAre("cycles"), UnorderedElementsAre("a", "b")));
  }
}

TEST(MeasurePlan, WithEnoughPretendedCountersNoSetTakesTurns) {
  FakePmu pmu;
  const Plan plan = make_plan(pmu, groups(pmu, {{"sw1"}, {"sw2"}}), 2);
  EXPECT_THAT(plan.sets, IsEmpty());
  EXPECT_THAT(named(plan, plan.always), ElementsAre(ElementsAre("sw1", "sw2")));
}

}  // namespace
}  // namespace tacho::TEST_FILE
