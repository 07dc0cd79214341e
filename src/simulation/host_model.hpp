// Makes a model of this machine.
#pragma once

#include <string>

#include "base/result.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// Takes the caches from sysfs at `sysfs` (with proc/ beside it), and the other figures from a
// present-day core. `sources` gives the source of each figure.
Result<CpuModel> host_model(const std::string& sysfs = "/sys");

}  // namespace tacho
