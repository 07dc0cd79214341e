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

  bool operator==(const CoreId&) const = default;
};

// The files in which the kernel describes CPUs. Tests use others.
struct CoreSources {
  std::string cpus = "/sys/devices/system/cpu";
  std::string cpuinfo = "/proc/cpuinfo";
};

Result<CoreId> core_of(int cpu, const CoreSources& sources = {});

// Where a core's counters differ from the rest of its architecture.
struct CoreTraits {
  bool tells_modes = true;            // the counters can separate user mode and kernel mode
  std::uint16_t instructions = 0x08;  // the number of the event that counts instructions
};

// The traits of most cores if this one has none of its own.
CoreTraits traits_of(CoreId id);

// The events of the CPU's core; an error if the core is not in `known`.
Result<CoreEvents> events_of_cpu(int cpu, const std::vector<CoreEvents>& known,
                                 const CoreSources& sources = {});

}  // namespace tacho::arm
