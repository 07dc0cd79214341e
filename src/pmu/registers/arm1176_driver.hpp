// The driver of the ARM1176's counters.
#pragma once

#include <memory>

#include "pmu/registers/driver.hpp"

namespace tacho::arm {

std::unique_ptr<Driver> make_arm1176_driver(Registers& registers);

}  // namespace tacho::arm
