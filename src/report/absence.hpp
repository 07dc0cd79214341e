// The events and metrics that could not be counted, grouped by reason, so that each reason is
// printed once.
#pragma once

#include <string>
#include <vector>

#include "estimate/summary.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Whether the event is unsupported or failed. It then has a reason and a remedy, and no figure.
bool is_absent(const EventSummary&);

// The reason and the remedy of an absent event; never empty.
std::string reason_of(const EventSummary&);
std::string remedy_of(const EventSummary&);

struct Absence {
  std::string reason;
  std::string remedy;              // empty for metrics: their events have it
  std::vector<std::string> names;  // events, then metrics, in the summary's order
};

// Absent events and metrics without a value, grouped by reason and remedy. All metrics that lack an
// absent event are one group, whichever event it is.
std::vector<Absence> absences(const Summary&);

// Whether their names would fill a report. Then it has them in brief: a line for each reason, with
// the first names, and without the metrics that only lack these events.
bool are_many(const std::vector<Absence>&);
std::vector<std::string> brief_absences(const std::vector<Absence>&);

// The warnings of the measurement, then those of the summary, each once.
std::vector<std::string> all_warnings(const Measurement&, const Summary&);

}  // namespace tacho
