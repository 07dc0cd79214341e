// This machine's memory hierarchy: from the options to the samples of a report.
#pragma once

#include <memory>

#include "cli/latency_options.hpp"
#include "latency/chase/sampler.hpp"
#include "latency/chase/streams.hpp"
#include "latency/report/report.hpp"

namespace tacho {

// Fills in what was measured, and what there is to know of the machine. Stopped, it is partial.
// With --loaded, `streams` keep the other CPUs busy from then on.
Result<void> measure_native(const LatencyOptions& options, const chase::Stop& stop,
                            LatencyReport& report, std::unique_ptr<chase::Streams>& streams);

// What belongs to the levels that were found: independent chases, nodes, events.
Result<void> measure_more(const LatencyOptions& options, const chase::Stop& stop,
                          LatencyReport& report);

// --cores: each CPU that may be used with each other one.
Result<LatencyMatrix> measure_cores(const chase::Stop& stop);

}  // namespace tacho
