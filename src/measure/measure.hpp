// Measures one run: launches or attaches, counts until the end, and returns a Measurement. A
// Listener gets the periods and intervals during the run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/plan.hpp"
#include "measure/request.hpp"
#include "pmu/pmu.hpp"
#include "pmu/simulation_progress.hpp"
#include "process/supervisor.hpp"
#include "stats/measurement.hpp"

namespace tacho {

struct Measured {
  struct Part {
    std::string label;
    Measurement measurement;
  };
  Measurement whole;
  std::vector<Part> parts;  // if the request is `parted`
};

// Functions that measure() calls in its thread while the workload runs. Each may be empty.
struct Listener {
  // The counters are open, and the events and the machine are known. The workload may already be
  // loading, so this is the place for work that it need not wait for.
  std::function<void(const Measurement&)> begun;
  // A period has ended. `always` and `reference_total` are the counts since the end of the last
  // period, gaps included.
  std::function<void(const Measurement&, const Period&, std::span<const std::uint64_t> always,
                     std::uint64_t reference_total)>
      period;
  // An interval has ended, `at_s` seconds after the start: a Measurement of this interval alone,
  // and those of its parts if `parts_of_intervals` asks for them.
  std::function<void(const Measurement&, double at_s, std::span<const Measured::Part> parts)>
      interval;
  bool parts_of_intervals = false;
  // How far a simulation has come.
  SimulationProgress::Tell simulated;
};

// It is an error if the command cannot be launched (the error's code is then the errno of exec:
// ENOENT, EACCES, …), or if the process cannot be watched. An event that cannot be counted is not
// an error: the Measurement has the reason.
Result<Measured> measure(Pmu& pmu, Supervisor& supervisor, const Plan& plan,
                         const MeasureRequest& request, const Listener& listener);

}  // namespace tacho
