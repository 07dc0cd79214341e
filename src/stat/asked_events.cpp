#include "stat/asked_events.hpp"

#include <string>
#include <utility>

#include "events/find_data.hpp"
#include "measure/choose_events.hpp"
#include "pmu/choice/asked_groups.hpp"

namespace tacho {
namespace {

Result<AskedEvents> of_sets(Pmu& pmu, const PmuChoice& choice, const StatRequest& request) {
  AskedGroups asked = TACHO_TRY(asked_groups(pmu, choice, request.events, request.sets));
  MetricChoice metrics =
      TACHO_TRY(MetricChoice::of(std::move(asked.sets), !request.events.empty()));
  return AskedEvents{std::move(asked.groups), std::move(metrics), {}};
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
  if (request.nothing) return AskedEvents();
  return request.has_rows() ? of_rows(pmu, request) : of_sets(pmu, choice, request);
}

}  // namespace tacho
