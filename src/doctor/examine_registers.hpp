// What can be counted with the registers of this machine's cores.
#pragma once

#include <optional>
#include <span>

#include "doctor/finding.hpp"
#include "pmu/registers/module_status.hpp"

namespace tacho::arm {

// What the module's status says. `perf_counts`: the kernel's own way to the counters works, which
// is to be preferred.
Finding judge_status(const Result<Status>& status, bool perf_counts);

// Of this machine; nothing where its processor is not an ARM.
std::optional<Finding> examine_registers(bool perf_counts);

}  // namespace tacho::arm
