// The memory hierarchy of a simulated processor.
#pragma once

#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// Requires a model in the request. The report has no version. If the user or a signal ends the
// measurement, it is partial.
Result<LatencyReport> measure_model(const LatencyRequest& request, const chase::Stop& stop,
                                    const LatencyProgress& progress);

}  // namespace tacho
