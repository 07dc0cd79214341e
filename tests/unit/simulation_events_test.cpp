// The columns that the events of a simulation count, on models with one, two and three cache
// levels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "events/catalogue.hpp"
#include "events/event_set.hpp"
#include "events/metrics_file.hpp"
#include "events/split_events.hpp"
#include "simulation/simulated_events.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Columns = std::vector<std::string_view>;

CpuModel with_levels(int levels, bool main_tlb = true) {
  CpuModel model;
  model.name = "made-up";
  if (levels > 1) model.l2 = CacheModel{};
  if (levels > 2) model.l3 = CacheModel{};
  if (main_tlb) model.main_tlb = TlbModel{};
  return model;
}

Columns columns_of(std::string_view name, int levels) {
  const auto events = simulated_events(with_levels(levels));
  const auto place = find_simulated_event(name, events);
  EXPECT_TRUE(place) << place.error().what;
  return place ? events[*place].columns : Columns{};
}

std::string failure_of(std::string_view name, const CpuModel& model) {
  const auto place = find_simulated_event(name, simulated_events(model));
  return place ? "found" : place.error().what + " | " + place.error().remedy;
}

TEST(SimulationEvents, LlcEventsCountTheModelsLastLevel) {
  EXPECT_THAT(columns_of("LLC-loads", 2), ElementsAre("l1d-load-misses"));
  EXPECT_THAT(columns_of("LLC-loads", 3), ElementsAre("l2-load-misses"));
  EXPECT_THAT(columns_of("LLC-load-misses", 2), ElementsAre("l2-load-misses"));
  EXPECT_THAT(columns_of("LLC-load-misses", 3), ElementsAre("l3-load-misses"));
  EXPECT_THAT(columns_of("l2-load-misses", 3), ElementsAre("l2-load-misses"));
  EXPECT_THAT(columns_of("cache-misses", 3),
              ElementsAre("l3-fetch-misses", "l3-load-misses", "l3-store-misses"));
  EXPECT_THAT(columns_of("cache-references", 2),
              ElementsAre("l1i-misses", "l1d-load-misses", "l1d-store-misses"));
  // With one level they count the data cache, as ARM's generic events do.
  EXPECT_THAT(columns_of("cache-references", 1), ElementsAre("loads", "stores"));
  EXPECT_THAT(columns_of("cache-misses", 1), ElementsAre("l1d-load-misses", "l1d-store-misses"));
}

TEST(SimulationEvents, AliasesUpperCaseAndUserModeNameTheSameEvent) {
  const auto events = simulated_events(with_levels(3));
  const auto cycles = find_simulated_event("cycles", events);
  ASSERT_TRUE(cycles);
  for (const char* same : {"cpu-cycles", "CYCLES", "cycles:u", "cpu-cycles:u"})
    EXPECT_EQ(find_simulated_event(same, events).value(), *cycles) << same;
  EXPECT_FALSE(events[*cycles].nanoseconds);
  EXPECT_TRUE(events[find_simulated_event("task-clock", events).value()].nanoseconds);
}

TEST(SimulationEvents, AnEventThatCannotBeCountedHasAReason) {
  const CpuModel small = with_levels(1, false);
  EXPECT_THAT(failure_of("LLC-loads", small), HasSubstr("the model made-up has no second level"));
  EXPECT_THAT(failure_of("l2-stores", small), HasSubstr("the model made-up has no second level"));
  EXPECT_THAT(failure_of("main-tlb-misses", small), HasSubstr("the model made-up has no main TLB"));
  EXPECT_THAT(failure_of("cycles:k", small), HasSubstr("only user mode is simulated | ask for 'c"));
  EXPECT_THAT(failure_of("cycles:uk", small), HasSubstr("only user mode is simulated"));
  EXPECT_THAT(failure_of("cycles:x", small), HasSubstr("not simulated"));
  EXPECT_THAT(failure_of("brnaches", small), HasSubstr("'brnaches' is not simulated | did you mean "
                                                       "'branches'"));
  EXPECT_THAT(failure_of("r01c2", small),
              HasSubstr("not simulated | 'tacho list --pmu simulated'"));
  EXPECT_THAT(failure_of("", small), HasSubstr("not simulated"));
}

// The columns are those of the table in docs/explanation/simulator.md.
TEST(SimulationEvents, TogetherUseExactlyTheSimulatorsColumns) {
  std::ifstream page(std::string(TACHO_SOURCE_DIR) + "/docs/explanation/simulator.md");
  std::set<std::string, std::less<>> known;
  bool columns = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with('#')) columns = line == "### Columns";
    if (!columns || !line.starts_with("| `")) continue;
    const std::string names = line.substr(0, line.find('|', 1));
    for (std::size_t at = 0; (at = names.find('`', at)) != names.npos;) {
      const std::size_t end = names.find('`', at + 1);
      known.insert(names.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  EXPECT_EQ(known.size(), 28U);
  std::set<std::string, std::less<>> used;
  for (const int levels : {1, 2, 3})
    for (const SimulatedEvent& event : simulated_events(with_levels(levels))) {
      EXPECT_NE(event.description, "") << event.name;
      EXPECT_EQ(event.columns.empty(), !event.reason.empty()) << event.name;
      for (const std::string_view column : event.columns) {
        EXPECT_TRUE(known.contains(column)) << event.name << ": " << column;
        used.emplace(column);
      }
    }
  EXPECT_EQ(used, known);
}

TEST(SimulationEvents, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const SimulatedEvent& event : simulated_events(with_levels(3))) {
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
    EXPECT_TRUE(event.alias.empty() || names.insert(event.alias).second) << event.alias;
  }
}

TEST(SimulationEvents, RpistatsSetCountsOnAProcessorLikeTheFirstRaspberryPis) {
  const std::string data = std::string(TACHO_SOURCE_DIR) + "/data";
  const auto metrics = load_metrics(data + "/metrics.toml");
  ASSERT_TRUE(metrics);
  const auto set = load_set(data + "/sets/rpistat.toml");
  ASSERT_TRUE(set) << set.error().what;
  const auto its = metrics_of(*set, *metrics);
  ASSERT_TRUE(its) << its.error().what;
  const auto events = simulated_events(with_levels(1));
  std::size_t count = 0;
  for (const std::string& element : set->events) {
    const auto groups = split_events(element);
    for (const std::vector<std::string>& group : groups.value()) {
      EXPECT_LE(group.size(), 2U);  // an ARM1176 has two counters besides the cycle counter
      for (const std::string& name : group) EXPECT_TRUE(find_simulated_event(name, events)) << name;
      count += group.size();
    }
  }
  EXPECT_EQ(count, 9U);
  // Counts and metrics of the report published in 2013.
  const auto value = [&](std::string_view name, std::vector<double> counts) {
    const auto metric = std::ranges::find(*its, name, &Metric::name);
    EXPECT_NE(metric, its->end()) << name;
    return metric == its->end() ? 0.0 : metric->formula.evaluate(counts);
  };
  EXPECT_NEAR(value("CPI", {11'794'467'561.0, 1'245'571'856.0}), 9.469, 0.0005);
  EXPECT_NEAR(value("IBUF stall percent", {274'192'088.0, 11'794'467'561.0}), 2.325, 0.0005);
  EXPECT_NEAR(value("DC miss ratio", {3'735'024.0, 18'587'014.0}), 20.095, 0.0005);
  EXPECT_NEAR(value("Micro miss rate", {904'166.0, 1'245'571'856.0}), 0.726, 0.0005);
  EXPECT_NEAR(value("Main miss rate", {661'667.0, 1'245'571'856.0}), 0.531, 0.0005);
}

}  // namespace
}  // namespace tacho::TEST_FILE
