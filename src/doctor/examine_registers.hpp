// Examines whether the registers of this machine's cores can be used for counting.
#pragma once

#include <optional>
#include <span>

#include "doctor/finding.hpp"
#include "pmu/registers/module_status.hpp"

namespace tacho::arm {

// The finding for a status of the module. `perf_counts`: perf_event can use the counters and is
// preferred.
Finding judge_status(const Result<Status>& status, bool perf_counts);

// The finding for this machine; none if its processor is not an ARM.
std::optional<Finding> examine_registers(bool perf_counts);

}  // namespace tacho::arm
