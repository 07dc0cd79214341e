// A simulated processor's memory hierarchy: tacho's lists are walked under the simulator, and its
// cycles stand for the clock's.
#pragma once

#include <functional>
#include <vector>

#include "cli/access_counter.hpp"
#include "latency/chase/route.hpp"
#include "latency/report/report.hpp"

namespace tacho {

// Where the sizes of a model's lists end when no one says: behind its caches and its translations.
std::size_t default_most_of(const CpuModel& model);

struct SimulatedRequest {
  std::size_t most_bytes = 0;
  std::vector<std::size_t> sizes;   // only these; empty: chosen
  std::vector<std::string> events;  // beside cycles
};

// Fills in the samples and events of the report. Stopped or ended by a signal, it is partial.
Result<void> measure_simulated(const PmuChoice& choice, const SimulatedRequest& request,
                               const chase::Stop& stop,
                               const std::function<void(double done)>& progress,
                               LatencyReport& report);

}  // namespace tacho
