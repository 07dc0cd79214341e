// Launches the command of a run, or the simulator that runs it, and ends a simulated run.
#pragma once

#include <chrono>
#include <memory>

#include "base/result.hpp"
#include "measure/request.hpp"
#include "pmu/pmu.hpp"
#include "process/supervisor.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Prepares the command of the request. If the PMU simulates commands, prepares and returns the
// simulation; else returns null. `periods` is true if the run has periods, which are at most as
// long as the longest period of the request.
Result<std::unique_ptr<Simulation>> prepare_command(Pmu& pmu, Supervisor& supervisor,
                                                    const MeasureRequest& request, bool periods);

// Lets the prepared command run.
Result<void> release_command(Supervisor& supervisor, const Simulation* simulation);

// Call it after the end of a simulation: adds its warnings, and marks events that were not counted.
Result<void> conclude(Simulation& simulation, Measurement& measurement);

}  // namespace tacho
