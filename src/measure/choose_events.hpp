// Which events stand for a report's rows here: found out by opening them.
#pragma once

#include <vector>

#include "events/report_layout.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct ChosenEvents {
  std::vector<EventGroup> groups;  // to plan: cycles, then a group a set that has any events
  std::vector<RowSource> rows;     // that of the cycles, then of every row, set by set
};

// An event that resolves but does not open here stays in its group, so that the plan says why.
ChosenEvents choose_events(Pmu& pmu, const ReportLayout& layout);

}  // namespace tacho
