// Which wake-ups of a machine the kernel keeps for a recording: those of its threads, whoever woke
// them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/process_tree.hpp"

namespace tacho {

// A filter of the kernel's for the tracepoint sched_waking (Documentation/trace/events.rst): it
// lets the wake-ups of these threads pass, and those of all threads that are made after `numbers`
// was read. It may let some others pass. Empty: all pass, because the kernel may soon begin anew
// with small numbers, and a filter can't be changed later.
std::string wake_filter(std::vector<pid_t> tids, ThreadNumbers numbers);

}  // namespace tacho
