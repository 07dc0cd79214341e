// --with-native: a run without the simulator, for the figures that a simulation does not have.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "events/metric.hpp"
#include "process/supervisor.hpp"
#include "stat/report.hpp"

namespace tacho {

// Removes the kernel's software events from the groups and returns their names.
std::vector<std::string> take_software_events(std::vector<EventGroup>& groups);

// Runs the command once and counts these software events, or the usual ones when there are none.
Result<NativeRun> run_natively(const std::vector<std::string>& command,
                               std::vector<std::string> events, std::span<const Metric> metrics,
                               const Catalogue& catalogue, Supervisor& supervisor);

}  // namespace tacho
