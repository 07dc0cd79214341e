// The time that a run is measured in, and how it goes by: the machine's own, or a simulation's.
#pragma once

#include <memory>
#include <optional>

#include "pmu/pmu.hpp"
#include "process/supervisor.hpp"

namespace tacho {

class RunClock {
 public:
  using Clock = Supervisor::Clock;

  virtual ~RunClock() = default;
  virtual Clock::time_point now() const = 0;
  // Sleeps until the deadline, or for as long as it takes. Wake::ended: the workload has ended, and
  // all that it did lies before now().
  virtual Wake wait(std::optional<Clock::time_point> deadline) = 0;
  // What has gone wrong with time itself.
  virtual Result<void> trouble() const { return {}; }
};

// Without a simulation it is the machine's time. Both must outlive the pace.
//
// A simulation's time begins at the clock's epoch. It lags behind the real one and goes on in
// steps, as records come, and real time decides only when to look for them: so deadlines are met
// one after another, each with what had been counted up to it, also when the workload has long
// ended.
std::unique_ptr<RunClock> make_run_clock(Supervisor& supervisor, Simulation* simulation);

}  // namespace tacho
