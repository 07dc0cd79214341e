// How long it takes to hand a line from each CPU to each other one and back.
#pragma once

#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// Over all CPUs that the process may use. An error if it may use only one.
Result<LatencyMatrix> measure_core_round_trips(const chase::Stop& stop,
                                               const LatencyProgress& progress);

}  // namespace tacho
