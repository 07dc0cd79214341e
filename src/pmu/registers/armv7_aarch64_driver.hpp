// The driver of the counters of ARMv7 cores with PMUv2 and of AArch64 cores.
#pragma once

#include <memory>

#include "pmu/registers/driver.hpp"

namespace tacho::arm {

// `cycle_bits` is the width of the cycle counter that the program sees, 32 or 64. `counters` is the
// number of event counters. Reads at once which events the core has.
std::unique_ptr<Driver> make_armv7_aarch64_driver(unsigned cycle_bits, Registers& registers,
                                                  int counters);

}  // namespace tacho::arm
