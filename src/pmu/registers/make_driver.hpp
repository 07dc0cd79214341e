// Makes the driver for a core's counters.
#pragma once

#include <memory>

#include "pmu/registers/core_id.hpp"
#include "pmu/registers/driver.hpp"

namespace tacho::arm {

// `counters` is the number of event counters. Reads at once which events the core has.
std::unique_ptr<Driver> make_driver(Architecture architecture, const CoreTraits& core,
                                    Registers& registers, int counters);

}  // namespace tacho::arm
