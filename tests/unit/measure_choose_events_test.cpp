// The events for the rows of a report are those that can be opened on this PMU.
#include "measure/choose_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure_fake_pmu.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;

ReportLayout layout(std::vector<ReportSet::Choice> choices) {
  return {.name = "r",
          .period_ms = 1,
          .counters = 2,
          .sets = {{.name = "S", .rows = {"A", "B"}, .choices = std::move(choices), .ratios = {}}}};
}

std::vector<std::string> events_of(const ChosenEvents& chosen) {
  std::vector<std::string> names;
  for (const RowSource& row : chosen.rows) names.push_back(row.event);
  return names;
}

TEST(MeasureChooseEvents, TakesTheFirstChoiceWithTheMostEventsThatOpen) {
  FakePmu pmu;
  const auto report = layout({{.pmu = {}, .events = {"a1", "b1"}, .note = "first"},
                              {.pmu = {}, .events = {"a2", "b2"}, .note = "second"}});
  EXPECT_THAT(events_of(choose_events(pmu, report)), ElementsAre("cycles", "a1", "b1"));
  pmu.refused = {"b1"};
  const ChosenEvents second = choose_events(pmu, report);
  EXPECT_THAT(events_of(second), ElementsAre("cycles", "a2", "b2"));
  EXPECT_EQ(second.rows[1].note, "second");
  pmu.refused = {"b1", "b2"};
  EXPECT_THAT(events_of(choose_events(pmu, report)), ElementsAre("cycles", "a1", "b1"));
}

TEST(MeasureChooseEvents, SkipsAChoiceForAnotherKindOfPmu) {
  FakePmu pmu;  // its kind is hardware
  EXPECT_THAT(events_of(choose_events(pmu, layout({{PmuKind::simulated, {"a1", "b1"}, ""},
                                                   {PmuKind::hardware, {"a2", "b2"}, ""}}))),
              ElementsAre("cycles", "a2", "b2"));
}

TEST(MeasureChooseEvents, KeepsAnEventThatDoesNotOpenSoThePlanGivesTheReason) {
  FakePmu pmu;
  pmu.refused = {"a1", "b1"};
  const ChosenEvents chosen =
      choose_events(pmu, layout({{.pmu = {}, .events = {"a1", "b1"}, .note = ""}}));
  ASSERT_EQ(chosen.groups.size(), 2U);
  EXPECT_EQ(chosen.groups[1].size(), 2U);
}

TEST(MeasureChooseEvents, ARowWithoutAnEventHasTheReason) {
  FakePmu pmu;
  const ChosenEvents chosen =
      choose_events(pmu, layout({{.pmu = {}, .events = {"a1"}, .note = ""}}));
  EXPECT_THAT(events_of(chosen), ElementsAre("cycles", "a1", ""));
  EXPECT_NE(chosen.rows[2].absent.what, "");
  pmu.has_cycles = false;
  const ChosenEvents without = choose_events(pmu, layout({{PmuKind::simulated, {"a1"}, ""}}));
  EXPECT_THAT(events_of(without), ElementsAre("", "", ""));
  EXPECT_TRUE(without.groups.empty());
}

}  // namespace
}  // namespace tacho::TEST_FILE
