// The rate of an event beside its count.
#pragma once

#include <string>

#include "base/number.hpp"
#include "stat/report.hpp"

namespace tacho {

// Whether the event is a clock of CPU time, in nanoseconds.
bool is_cpu_clock(const EventSummary& event);

// Counts per second of the time in which they were counted: "19.5 k/s ± 4 %"; of a clock of CPU
// time "0.960 CPUs used". Empty for an event without a rate. `event` has an estimate and is one of
// the report's.
std::string rate_of(const EventSummary& event, const StatReport& report, const NumberStyle& style);

}  // namespace tacho
