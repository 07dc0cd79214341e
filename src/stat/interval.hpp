// What `tacho stat -I MS` prints: the counts of each interval as it ends.
#pragma once

#include <string>

#include "base/number.hpp"
#include "estimate/summary.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// `time_s` is the end of the interval, since the workload's start; the Summary is of the interval
// alone. Each text ends in a newline (or is empty) and can be printed as it is.

// Before the first interval: the columns, and once and for all what is not available. What only
// this interval has no figure of (`slice` is what was measured in it) has a line of its own, with
// why.
std::string interval_start_text(const Summary&, const Measurement& slice);
std::string interval_text(double time_s, const Summary&, const Measurement& slice,
                          const NumberStyle&);

// One object a line: {"interval": seconds, "events": […], "metrics": […], "warnings": […]}, the
// items as in schema 1. What is not available is there each time, with null.
std::string interval_json(double time_s, const Summary&);

// The header row, and a row an event and a metric (its value stands under estimate).
std::string interval_start_csv();
std::string interval_csv(double time_s, const Summary&);

}  // namespace tacho
