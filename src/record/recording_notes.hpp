// What tacho says about a recording that it has made: its size, and what makes it doubtful.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "events/event.hpp"
#include "perfdata/recording_output.hpp"
#include "pmu/pmu.hpp"
#include "record/record_workload.hpp"

namespace tacho {

// "1,234 samples of cpu-clock, 56 of page-faults in 1.02 s: perf.data, 64 KiB". For a simulation
// the time is "in 0.10 s of the simulated skylake".
std::string recorded_line(const RecordResult&, std::span<const EventGroup>,
                          const perfdata::RecordingOutput&, const NumberStyle&);

// Warnings of what happened during the run: samples that are missing, and events that had no
// counter for part of the time.
std::vector<std::string> result_warnings(const RecordResult&, std::span<const EventGroup>,
                                         bool every_cpu, const NumberStyle&);

// Warnings of what the kernel does not allow: periods that are shorter than a clock's, and kernel
// mode.
std::vector<std::string> permission_warnings(const RecordResult&, std::span<const EventGroup>,
                                             const SampleSpec&, const Capabilities&);

}  // namespace tacho
