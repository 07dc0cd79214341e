// What could not be counted, and why: said once for all events that share a reason.
#pragma once

#include <string>
#include <vector>

#include "estimate/summary.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Unsupported or failed: the event has no figure, a reason and a remedy.
bool is_absent(const EventSummary&);

// The reason and the remedy of an absent event; never empty.
std::string reason_of(const EventSummary&);
std::string remedy_of(const EventSummary&);

struct Absence {
  std::string reason;
  std::string remedy;              // empty for metrics: that of their events counts
  std::vector<std::string> names;  // of events, then of metrics, in the summary's order
};

// Absent events and metrics without a value, grouped by reason and remedy. Metrics that have no
// value for want of an absent event form one group, whichever event it is.
std::vector<Absence> absences(const Summary&);

// The warnings of the measuring, then those of the analysis, each once.
std::vector<std::string> all_warnings(const Measurement&, const Summary&);

}  // namespace tacho
