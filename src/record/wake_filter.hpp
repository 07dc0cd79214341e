// Which wake-ups of a machine the kernel keeps for a recording: those of its threads, whoever woke
// them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tacho {

// A filter of the kernel's for the tracepoint sched_waking (Documentation/trace/events.rst): it
// lets the wake-ups of these threads pass, and those of all threads with a larger number than
// `newest`. It may let some others pass.
std::string wake_filter(std::vector<pid_t> tids, pid_t newest);

}  // namespace tacho
