// Puts the runs of `tacho stat` together as one report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "events/metric.hpp"
#include "measure/measure.hpp"
#include "measure/plan.hpp"
#include "pmu/pmu.hpp"
#include "stat/report.hpp"
#include "stat/request.hpp"

namespace tacho {

// What the parts are that a request asks for.
PartKind kind_of_parts(const StatRequest& request);

std::vector<StatReport::Part> summarise_parts(std::span<const Measured::Part> parts,
                                              std::span<const Metric> metrics);

// Fills in the report's summary and measurement from the runs, of which there is at least one.
// Returns the exit status of the first run that failed, or 0.
int put_together(std::vector<Measurement> runs, const std::vector<Metric>& metrics,
                 StatReport& report);

// Names another way to count if the request wanted hardware events and the kernel can't count them:
// the core's registers or a simulation. Otherwise empty.
std::string advice(const StatRequest& request, const Plan& plan, const Capabilities& pmu);

}  // namespace tacho
