// Describes a run for its Measurement: the workload's label, the time, and the machine.
#pragma once

#include <sys/types.h>

#include <string>

#include "measure/plan.hpp"
#include "measure/request.hpp"
#include "pmu/pmu.hpp"
#include "stats/measurement.hpp"

namespace tacho {

Machine describe_machine(const Pmu& pmu, const Plan& plan);

// "naive 500", "process 42", "every CPU".
std::string label(const MeasureRequest& request);

// The local time in ISO 8601.
std::string now_as_text();

}  // namespace tacho
