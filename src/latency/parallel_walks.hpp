// The time per access if several lists are walked at once.
#pragma once

#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// One list of each level that the report has, with 1 to `request.parallel` walks at once.
Result<void> measure_parallel_walks(const LatencyRequest& request, const chase::Stop& stop,
                                    const LatencyProgress& progress, LatencyReport& report);

}  // namespace tacho
