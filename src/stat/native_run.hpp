// --with-native: what a simulation can't tell of a command, from a run without the simulator.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "events/metric.hpp"
#include "process/supervisor.hpp"
#include "stat/report.hpp"

namespace tacho {

// Takes the kernel's software events out of the groups; returns their names.
std::vector<std::string> take_software_events(std::vector<EventGroup>& groups);

// Runs the command once and counts these software events, or the usual ones when there are none.
Result<NativeRun> run_natively(const std::vector<std::string>& command,
                               std::vector<std::string> events, std::span<const Metric> metrics,
                               const Catalogue& catalogue, Supervisor& supervisor);

}  // namespace tacho
