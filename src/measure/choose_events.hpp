// Chooses the events for the rows of a report: those that can be opened on this PMU.
#pragma once

#include <vector>

#include "events/report_layout.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct ChosenEvents {
  std::vector<EventGroup> groups;  // for the plan: cycles, then one group for each set with events
  std::vector<RowSource> rows;     // of the cycles, then of every row, set by set
};

// An event that resolves but cannot be opened stays in its group, so the plan gives the reason.
ChosenEvents choose_events(Pmu& pmu, const ReportLayout& layout);

}  // namespace tacho
