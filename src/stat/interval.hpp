// The output of `tacho stat -I MS`: the counts of each interval as it ends.
#pragma once

#include <cstddef>
#include <string>

#include "base/number.hpp"
#include "estimate/summary.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// `time_s` is the end of the interval, since the workload's start; the Summary is of the interval
// alone. Each text ends in a newline (or is empty) and can be printed as it is.

// Before the first interval: the columns, and the events and metrics that are not available at all.
// A figure that only this interval lacks has a line of its own with the reason; `slice` is the
// measurement of the interval.
std::string interval_start_text(const Summary&, const Measurement& slice);
// The number of events that are not available in this interval, nor later, and their lines. They
// can become more during a run (process/taken_events.hpp).
std::size_t lasting_absences(const Summary&, const Measurement& slice);
std::string absences_text(const Summary&, const Measurement& slice);
std::string interval_text(double time_s, const Summary&, const Measurement& slice,
                          const NumberStyle&);

// One object a line: {"interval": seconds, "events": […], "metrics": […], "warnings": […]}, the
// items as in schema 1. Events that are not available are in each line, with null.
std::string interval_json(double time_s, const Summary&);

// The header row; then a row for each event and metric. A metric's value is in `estimate`.
std::string interval_start_csv();
std::string interval_csv(double time_s, const Summary&);

}  // namespace tacho
