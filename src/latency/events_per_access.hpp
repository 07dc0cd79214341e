// Events of a PMU for each access of a list.
#pragma once

#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// At the sizes of the request, or at the measured sizes that are powers of two. If a signal ends
// the counting, the report is partial.
Result<void> count_events_per_access(const LatencyRequest& request, const LatencyProgress& progress,
                                     LatencyReport& report);

}  // namespace tacho
