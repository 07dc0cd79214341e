// The clock of a run: the machine's time, or the time of a simulation.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "pmu/pmu.hpp"
#include "pmu/simulation_progress.hpp"
#include "process/supervisor.hpp"

namespace tacho {

class RunClock {
 public:
  using Clock = Supervisor::Clock;

  virtual ~RunClock() = default;
  virtual Clock::time_point now() const = 0;
  // Sleeps until the deadline (if any) or until the workload ends. On Wake::ended, now() is after
  // everything that the workload did. While the workload runs, it also returns Wake::deadline when
  // the real time `limit` has come. On the machine's clock, it returns Wake::ready when
  // `descriptor` is readable.
  virtual Wake wait(std::optional<Clock::time_point> deadline,
                    Clock::time_point limit = Clock::time_point::max(), int descriptor = -1) = 0;
  // The time until the workload's end, if it is known already.
  virtual std::optional<std::chrono::nanoseconds> remaining() const { return std::nullopt; }
  // An error of the clock itself.
  virtual Result<void> trouble() const { return {}; }
};

// Returns the machine's clock, or the simulation's clock if there is a simulation. Both arguments
// must outlive the clock. `tell` gets the progress of a simulation.
//
// A simulation's time begins at the clock's epoch, is behind the real time, and advances with the
// simulation's records. Real time decides only when to look for records. So every deadline is met
// in turn, with the counts up to it, even if the workload ended long before. A deadline is met only
// when the simulation is `ahead` of it, or has ended: so remaining() is known that long before the
// end.
std::unique_ptr<RunClock> make_run_clock(Supervisor& supervisor, Simulation* simulation,
                                         Simulation::Time ahead = {},
                                         SimulationProgress::Tell tell = {});

}  // namespace tacho
