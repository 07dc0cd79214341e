// Makes a model of this machine.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "simulation/core_clock.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// Takes the caches from sysfs at `sysfs` (with proc/ beside it), the frequency from `clock` if it
// was measured, and the other figures from a present-day core. `sources` gives the source of each
// figure.
Result<CpuModel> host_model(const std::string& sysfs, const std::optional<CoreClock>& clock);

}  // namespace tacho
