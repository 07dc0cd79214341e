#include "stat/asked_events.hpp"

#include <string>
#include <utility>

#include "events/find_data.hpp"
#include "measure/choose_events.hpp"
#include "pmu/choice/event_groups.hpp"

namespace tacho {
namespace {

// The set that is counted where the request names no events.
std::string default_set(const PmuChoice& choice) {
  return choice.model && !choice.model->set.empty() ? choice.model->set : "default";
}

Result<std::vector<EventSet>> chosen_sets(const StatRequest& request, const PmuChoice& choice) {
  std::vector<std::string> names = request.sets;
  if (names.empty() && request.events.empty()) names = {default_set(choice)};
  std::vector<EventSet> sets;
  for (const std::string& name : names) sets.push_back(TACHO_TRY(find_set(name)));
  return sets;
}

Result<AskedEvents> of_sets(Pmu& pmu, const PmuChoice& choice, const StatRequest& request) {
  std::vector<EventSet> sets = TACHO_TRY(chosen_sets(request, choice));
  std::vector<std::string> lists = request.events;
  std::vector<std::string> places(lists.size());  // file:line of each list that is in a file
  for (const EventSet& set : sets) {
    lists.insert(lists.end(), set.events.begin(), set.events.end());
    places.insert(places.end(), set.places.begin(), set.places.end());
    if (choice.kind != PmuKind::simulated) continue;
    lists.insert(lists.end(), set.simulated.begin(), set.simulated.end());
    places.insert(places.end(), set.simulated_places.begin(), set.simulated_places.end());
  }
  std::vector<EventGroup> groups = TACHO_TRY(resolve_groups(pmu, lists, places));
  MetricChoice metrics = TACHO_TRY(MetricChoice::of(std::move(sets), !request.events.empty()));
  return AskedEvents{std::move(groups), std::move(metrics), {}};
}

Result<AskedEvents> of_rows(Pmu& pmu, StatRequest& request) {
  ReportLayout layout = TACHO_TRY(find_report(request.report));
  request.period_ms = request.period_ms.value_or(layout.period_ms);
  request.counters = request.counters.value_or(layout.counters);
  ChosenEvents chosen = choose_events(pmu, layout);
  return AskedEvents{
      std::move(chosen.groups), {}, RowReport{std::move(layout), std::move(chosen.rows)}};
}

}  // namespace

Result<AskedEvents> asked_events(Pmu& pmu, const PmuChoice& choice, StatRequest& request) {
  return request.has_rows() ? of_rows(pmu, request) : of_sets(pmu, choice, request);
}

}  // namespace tacho
