// Checks the counters of an ARM core that the kernel module tacho_pmu opens.
#pragma once

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

Proof prove_core_registers(const Bench& bench);

}  // namespace tacho::prove
