// The registers of the CPU on which the calling thread runs.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "pmu/registers/registers.hpp"

namespace tacho::arm {

// Only one object may exist at a time, because it handles SIGILL while it lives. It is an error if
// the program was not built for this architecture.
Result<std::unique_ptr<Registers>> cpu_registers(Architecture architecture);

}  // namespace tacho::arm
