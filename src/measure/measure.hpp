// From a request to a Measurement: launches or attaches, counts in turns until the end, and tells
// a listener what happens meanwhile.
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
#include "process/supervisor.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Called from measure(), in its thread, while the workload runs. Any may be empty.
struct Listener {
  // Everything is open, and the events and the machine are known. What need not be ready before
  // the workload is let go is done here, for that may have happened: it loads meanwhile.
  std::function<void(const Measurement&)> begun;
  // A period is over: what counted always, and the reference, meanwhile (gaps included).
  std::function<void(const Measurement&, const Period&, std::span<const std::uint64_t> always,
                     std::uint64_t reference_total)>
      period;
  // An interval is over, at this many seconds: a Measurement of it alone.
  std::function<void(const Measurement&, double at_s)> interval;
};

struct Measured {
  struct Part {
    std::string label;
    Measurement measurement;
  };
  Measurement whole;
  std::vector<Part> parts;  // with `parted`
};

// Errors: the command can't be launched (the error's code is then exec's errno: ENOENT, EACCES, …),
// or the process can't be watched. An event that can't be counted is not an error: the Measurement
// says why.
Result<Measured> measure(Pmu& pmu, Supervisor& supervisor, const Plan& plan,
                         const MeasureRequest& request, const Listener& listener);

}  // namespace tacho
