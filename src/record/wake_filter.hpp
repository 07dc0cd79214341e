// Which wake-ups of a machine belong to a recording: those of its threads, whoever woke them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/process_tree.hpp"

namespace tacho {

// A filter of the kernel's for the tracepoint sched_waking (Documentation/trace/events.rst): it
// lets the wake-ups of these threads pass, and those of all threads that are made after `pids` was
// read. It may let some others pass, which a reader of the recording ignores. Empty: all pass.
std::string wake_filter(std::vector<pid_t> tids, PidsInUse pids);

}  // namespace tacho
