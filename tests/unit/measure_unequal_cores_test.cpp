// Plans on unequal cores: each core PMU has sets and a reference of its own, and events are tried
// on its CPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/cpus.hpp"
#include "measure/fill_measurement.hpp"
#include "measure/lane_schedules.hpp"
#include "measure/plan.hpp"
#include "pmu/on_cores_of.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Two core PMUs with four counters each. A group runs only if it is turned on where its PMU is.
class UnequalPmu final : public Pmu {
 public:
  std::map<std::string, std::string> cpus = {{"fast", "0"}, {"slow", "1"}};
  std::set<std::string> refused;

  Capabilities capabilities() const override {
    return {.kind = PmuKind::hardware, .name = "unequal", .restriction = {}};
  }
  Result<Event> resolve(std::string_view spec) const override {
    Event event;
    event.name = spec;
    event.domain = spec.starts_with("sw") || spec == "task-clock" ? Domain::software : Domain::core;
    event.config = std::hash<std::string_view>()(spec);
    return event;
  }
  std::vector<Event> parts_of(const Event& event) const override {
    if (event.domain != Domain::core) return {event};
    std::vector<Event> parts;
    for (const auto& [pmu, served] : cpus) {
      Event part = event;
      part.name = pmu + "/" + event.name + "/";
      part.type = pmu == "fast" ? 4 : 10;
      part.core_pmu = pmu;
      part.cpus = served;
      part.part_of = event.name;
      parts.push_back(part);
    }
    return parts;
  }
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target&,
                                             Start) override {
    int wanted = 0;
    for (const Event& event : events) {
      if (refused.contains(event.name)) return failure("not here", "elsewhere", ENOENT);
      if (event.core_pmu != events.front().core_pmu) return failure("two PMUs", "", EINVAL);
      if (event.domain == Domain::core) ++wanted;
    }
    int& used = used_[events.front().core_pmu];
    if (used + wanted > 4) return failure("too many", "fewer", EINVAL);
    return std::make_unique<Group>(used, wanted, parse_cpu_list(events.front().cpus));
  }

 private:
  struct Group final : CounterGroup {
    Group(int& counters, int own, std::vector<int> where)
        : used(counters), size(own), served(std::move(where)) {
      used += size;
    }
    ~Group() override { used -= size; }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    Result<void> enable() override {
      runs = served.empty() || allowed_cpus() == served;
      return {};
    }
    Result<void> disable() override { return {}; }
    Result<void> read(std::span<Reading> readings) override {
      for (Reading& reading : readings) reading = {1, 10, runs ? 10U : 0U};
      return {};
    }
    int& used;
    int size;
    std::vector<int> served;
    bool runs = false;
  };
  std::map<std::string, int> used_;
};

class MeasureUnequalCores : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<int> allowed = allowed_cpus();
    for (const int cpu : {0, 1})
      if (std::ranges::find(allowed, cpu) == allowed.end())
        GTEST_SKIP() << "needs the CPUs 0 and 1";
  }
  std::vector<EventGroup> groups(const std::vector<std::string>& names) {
    std::vector<EventGroup> result;
    for (const std::string& name : names)
      for (const Event& part : pmu.parts_of(*pmu.resolve(name))) result.push_back({part});
    return result;
  }
  std::vector<std::string> set_names(const Plan& plan, std::size_t set) {
    std::vector<std::string> names;
    for (const std::size_t event : plan.sets[set]) names.push_back(plan.events[event].name);
    return names;
  }
  UnequalPmu pmu;
};

TEST_F(MeasureUnequalCores, EventsThatFitCountAllTheTimeInAGroupForEachPmu) {
  const std::vector<int> before = allowed_cpus();
  const Plan plan = make_plan(pmu, groups({"cycles", "a", "b", "sw1"}), {});
  EXPECT_THAT(plan.sets, IsEmpty()) << "a trial on another PMU's CPU would find that nothing runs";
  EXPECT_THAT(plan.always, SizeIs(3));
  EXPECT_THAT(plan.lanes, SizeIs(2));
  for (const auto& refused : plan.refused) EXPECT_FALSE(refused);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST_F(MeasureUnequalCores, EachPmuHasItsOwnSetsAndItsOwnReference) {
  const Plan plan = make_plan(pmu, groups({"a", "b", "c", "d", "e"}), {});
  ASSERT_THAT(plan.lanes, SizeIs(2));
  ASSERT_THAT(plan.sets, SizeIs(6));
  EXPECT_THAT(plan.lane_of_set, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(set_names(plan, 0), ElementsAre("fast/a/", "fast/b/"));
  EXPECT_THAT(set_names(plan, 5), ElementsAre("slow/e/"));
  EXPECT_EQ(plan.events[*plan.lanes[0].reference].name, "fast/cycles/");
  EXPECT_EQ(plan.events[*plan.lanes[1].reference].name, "slow/cycles/");
  EXPECT_EQ(plan.asked, 10U);
  const Measurement m = blank_measurement(plan, plan.refused);
  EXPECT_EQ(m.reference, "fast/cycles/, slow/cycles/");
  EXPECT_EQ(m.lanes[1].cpus, "1");
  EXPECT_EQ(m.events[1].part_of, "a");
}

TEST_F(MeasureUnequalCores, APmuWhoseEventsFitCountsAllTheTimeBesideOneThatTakesTurns) {
  std::vector<EventGroup> asked = groups({"a"});
  for (const char* name : {"b", "c", "d", "e"})
    asked.push_back({pmu.parts_of(*pmu.resolve(name)).front()});
  const Plan plan = make_plan(pmu, asked, {});
  EXPECT_THAT(plan.lane_of_set, ElementsAre(0, 0, 0));
  EXPECT_FALSE(plan.lanes[1].reference);
}

TEST_F(MeasureUnequalCores, AClockIsNoReferenceForTheTimeOnSomeCores) {
  pmu.refused = {"slow/cycles/"};
  const Plan plan = make_plan(pmu, groups({"a", "b", "c", "d", "e"}), {});
  EXPECT_FALSE(plan.lanes[1].reference);
  for (std::size_t i = 0; i < plan.asked; ++i)
    EXPECT_EQ(plan.refused[i].has_value(), plan.events[i].core_pmu == "slow")
        << plan.events[i].name;
}

TEST_F(MeasureUnequalCores, AllLanesTurnAtTheSameTime) {
  const Plan plan = make_plan(pmu, groups({"a", "b", "c", "d", "e"}), {});
  LaneSchedules schedules(plan, {.longest = std::chrono::milliseconds(10)}, 1);
  std::map<std::size_t, int> turns;
  for (int i = 0; i < 30; ++i) {
    schedules.next();
    ASSERT_THAT(schedules.turns(), SizeIs(2));
    EXPECT_LT(schedules.turns()[0].set, 3U);
    EXPECT_GE(schedules.turns()[1].set, 3U);
    for (const Schedule::Turn& turn : schedules.turns()) ++turns[turn.set];
  }
  for (const auto& [set, count] : turns) EXPECT_EQ(count, 10) << set;
}

// The readings of a task that was on the fast cores for a quarter of its time.
TEST_F(MeasureUnequalCores, TheReferenceOfATaskIsNeverScaledToItsTimeOnOtherCores) {
  const Plan plan = make_plan(pmu, groups({"a", "b", "c", "d", "e"}), {});
  Measurement m = blank_measurement(plan, plan.refused);
  m.lanes_are_all = true;
  const std::vector<Reading> always = {{1000, 100, 25}, {400, 100, 75}};
  fill_totals(m, plan, always);
  EXPECT_EQ(m.lanes[0].reference_total, 1000U);
  EXPECT_EQ(m.lanes[1].reference_total, 400U);
  EXPECT_EQ(m.lanes[0].share(), 0.25);
  EXPECT_THAT(m.warnings, IsEmpty());
  fill_totals(m, plan, std::vector<Reading>{{1000, 100, 25}, {400, 100, 40}});
  EXPECT_THAT(m.warnings,
              ElementsAre(testing::HasSubstr("had counters for 65.0 % of the CPU time")));
}

TEST_F(MeasureUnequalCores, WhileAnEventIsTriedTheThreadStaysOnItsCores) {
  const std::vector<int> before = allowed_cpus();
  const Event slow = pmu.parts_of(*pmu.resolve("a")).back();
  {
    const OnCoresOf cores(slow);
    EXPECT_TRUE(cores.there());
    EXPECT_THAT(allowed_cpus(), ElementsAre(1));
    EXPECT_EQ(::sched_getcpu(), 1);
    const OnCoresOf again(slow);
    EXPECT_TRUE(again.there());
  }
  EXPECT_EQ(allowed_cpus(), before);
  Event absent = slow;
  absent.cpus = "60000";
  EXPECT_FALSE(OnCoresOf(absent).there());
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace tacho::TEST_FILE
