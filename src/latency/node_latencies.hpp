// The latency of each NUMA node's memory, from a CPU of each node.
#pragma once

#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"
#include "latency/request.hpp"

namespace tacho {

// Only if the machine has several nodes. Leaves the calling thread on a CPU of the last node.
void measure_memory_nodes(chase::Access access, const chase::Stop& stop,
                          const LatencyProgress& progress, LatencyReport& report);

}  // namespace tacho
