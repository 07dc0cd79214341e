// The metrics of a comparison, and their values in one run.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/runs.hpp"
#include "measure/plan.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// The times and the memory of a process, then the requested events; in a simulation the events
// alone. task-clock is left out if nobody asked for it by name: it is the CPU time once more.
std::vector<ComparedMetric> metrics_of(const CompareRequest& request, const Plan& plan,
                                       bool simulated);

// The metric of the verdict: the CPU time; in a simulation the cycles, or the first event that
// counts.
std::size_t primary_of(const std::vector<ComparedMetric>& metrics);

// The values of a run, by metric. `own_peak` is the peak memory of tacho in bytes: the kernel
// reports at least this much for its children, so a smaller value is not known.
std::vector<std::optional<double>> values_of(const std::vector<ComparedMetric>& metrics,
                                             const Measurement& run, std::uint64_t own_peak);

}  // namespace tacho
