// Warnings of a run about itself: its periods, stops of the workload, and what it may not count.
#pragma once

#include <string_view>

#include "measure/request.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Each adds a warning to the measurement if there is a reason.

// The periods were much longer than asked for.
void warn_of_long_periods(Measurement& measurement);

// The workload was stopped for so many seconds.
void warn_of_stops(Measurement& measurement, double stopped_s);

// The command ran on for so many seconds after it was asked to end.
void warn_of_patience(Measurement& measurement, double ran_on_s);

// Counting could be off for a while: it was never on, or commands were not understood.
void warn_of_switch(Measurement& measurement, const MeasureRequest& request);

// An event was counted without kernel mode, because `restriction` forbids it.
void warn_of_restriction(Measurement& measurement, std::string_view restriction);

}  // namespace tacho
