// latency: `tacho latency` without its command line. Here the parts meet: chase times lists of this
// machine, inference finds the levels, report shows them.
#pragma once

#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// Measures this machine, or the model of the request. The report has no version. If the user or a
// signal ends the measurement, it is partial.
Result<LatencyReport> measure_latency(const LatencyRequest& request, const chase::Stop& stop,
                                      const LatencyProgress& progress);

}  // namespace tacho
