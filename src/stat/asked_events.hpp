// Resolves the events and metrics that a request of `tacho stat` names.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "stat/metric_choice.hpp"
#include "stat/request.hpp"
#include "stat/rpistat.hpp"

namespace tacho {

struct AskedEvents {
  std::vector<EventGroup> groups;
  MetricChoice metrics;
  std::optional<RowReport> rows;  // of a report with rows
};

// The events of the request, then those of its sets; or the events of a report with rows. Such a
// report also has a period and a number of counters, which are filled in unless the request has its
// own. Errors: an unknown set, report, event or metric.
Result<AskedEvents> asked_events(Pmu& pmu, const PmuChoice& choice, StatRequest& request);

}  // namespace tacho
