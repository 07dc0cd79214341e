// The driver of the counters of ARMv7 cores and of AArch64 cores.
#pragma once

#include <memory>

#include "pmu/registers/driver.hpp"

namespace tacho::arm {

struct CounterKind {
  unsigned cycle_bits = 32;  // the width of the cycle counter that the program sees, 32 or 64
  bool tells_modes = true;   // from PMUv2 on; before it, the cycle counter has no event type either
};

// `counters` is the number of event counters. Reads at once which events the core has.
std::unique_ptr<Driver> make_armv7_aarch64_driver(const CounterKind& kind, Registers& registers,
                                                  int counters);

}  // namespace tacho::arm
