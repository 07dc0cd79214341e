// Explains from a board's device tree why the kernel shows no PMU of the processor's cores.
#pragma once

#include <optional>
#include <string>

#include "doctor/finding.hpp"

namespace tacho {

// Call this if sysfs shows no PMU. The finding names the node that the device tree lacks, or that
// it has and the kernel does not use. Nothing if the machine has no device tree.
std::optional<Finding> explain_missing_pmu(const std::string& device_tree = "/proc/device-tree");

}  // namespace tacho
