// The memory hierarchy of this machine.
#pragma once

#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// The report has no version. If the user or a signal ends the measurement, it is partial.
Result<LatencyReport> measure_machine(const LatencyRequest& request, const chase::Stop& stop,
                                      const LatencyProgress& progress);

}  // namespace tacho
