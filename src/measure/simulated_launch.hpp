// Launching a command, and what a run has to see to at both ends when a PMU simulates it.
#pragma once

#include <chrono>
#include <memory>

#include "base/result.hpp"
#include "measure/request.hpp"
#include "pmu/pmu.hpp"
#include "process/supervisor.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Prepares the command of the request, or the simulation of it, which is returned. `periods`: the
// run has periods, which end in the request's longest period at the latest.
Result<std::unique_ptr<Simulation>> prepare_command(Pmu& pmu, Supervisor& supervisor,
                                                    const MeasureRequest& request, bool periods);

// Lets the prepared command run.
Result<void> release_command(Supervisor& supervisor, const Simulation* simulation);

// After the end: adds to the warnings, and marks what could not be counted.
Result<void> conclude(Simulation& simulation, Measurement& measurement);

}  // namespace tacho
