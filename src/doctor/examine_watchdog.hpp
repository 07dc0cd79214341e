// Examines the kernel's hard lock-up detector (the NMI watchdog), which may hold a counter.
#pragma once

#include <string>
#include <string_view>

#include "doctor/finding.hpp"

namespace tacho {

// How the kernel detects that a CPU has locked up. /proc/sys/kernel/nmi_watchdog does not tell.
enum class LockupDetector {
  counter,  // by an event of cycles on each CPU
  buddy,    // each CPU watches its neighbour (Linux 6.5): takes no counter
  unknown,
};

// What a kernel's configuration says.
LockupDetector lockup_detector(std::string_view configuration);

// The finding for a value of /proc/sys/kernel/nmi_watchdog. `hardware`: core events can be counted.
Finding judge_watchdog(std::string_view value, LockupDetector detector, bool hardware);

// The finding for this machine.
Finding examine_watchdog(bool hardware);

}  // namespace tacho
