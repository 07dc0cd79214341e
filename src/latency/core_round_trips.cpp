#include "latency/core_round_trips.hpp"

#include <fmt/format.h>

#include "base/cpus.hpp"
#include "latency/chase/round_trips.hpp"

namespace tacho {

Result<LatencyMatrix> measure_core_round_trips(const chase::Stop& stop,
                                               const LatencyProgress& progress) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2)
    return failure("--cores needs two CPUs, and this process may use only one",
                   "allow it more of them (taskset, the container's cpuset)");
  LatencyMatrix matrix{"core to core and back", cpus, cpus, {}, false};
  for (const int from : cpus)
    for (const int to : cpus) {
      progress(fmt::format("latency: CPU {} to CPU {}", from, to));
      matrix.ns.push_back(from == to || stop() ? std::nullopt
                                               : chase::round_trip_ns(from, to, stop));
    }
  matrix.partial = stop();
  progress("");
  return matrix;
}

}  // namespace tacho
