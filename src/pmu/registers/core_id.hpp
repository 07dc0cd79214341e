// Identifies the core of a CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/core_events.hpp"

namespace tacho::arm {

struct CoreId {
  std::uint32_t implementer = 0;  // 0x41 is ARM
  std::uint32_t part = 0;
};

// The files in which the kernel describes CPUs. Tests use others.
struct CoreSources {
  std::string cpus = "/sys/devices/system/cpu";
  std::string cpuinfo = "/proc/cpuinfo";
};

Result<CoreId> core_of(int cpu, const CoreSources& sources = {});

// The events of the CPU's core; an error if the core is not in `known`.
Result<CoreEvents> events_of_cpu(int cpu, const std::vector<CoreEvents>& known,
                                 const CoreSources& sources = {});

}  // namespace tacho::arm
