#include "latency/measure.hpp"

#include "latency/measure_machine.hpp"
#include "latency/measure_model.hpp"

namespace tacho {

Result<LatencyReport> measure_latency(const LatencyRequest& request, const chase::Stop& stop,
                                      const LatencyProgress& progress) {
  return request.pmu.model ? measure_model(request, stop, progress)
                           : measure_machine(request, stop, progress);
}

}  // namespace tacho
