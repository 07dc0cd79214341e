// The threads that are there already when a recording begins.
#pragma once

#include <sys/types.h>

#include <vector>

#include "process/asked_targets.hpp"

namespace tacho {

struct PresentThread {
  pid_t pid = -1, tid = -1;
};

// Those of which the recording has the names. Empty for a command, and if /proc has the numbers of
// another namespace. Threads of a process are beside each other.
std::vector<PresentThread> present_threads(const AskedTargets& asked);

// Those of which each switch is recorded from the beginning. `cgroup`: the open directory of the
// control group that is recorded, or -1. There are none if only some CPUs are recorded.
std::vector<PresentThread> followed_threads(const AskedTargets& asked, int cgroup,
                                            const std::vector<PresentThread>& present);

// Those that are there now, and were not. Their switches are recorded, but perhaps not their names
// and beginnings: the sampler takes time to attach to all threads.
std::vector<PresentThread> later_threads(const AskedTargets& asked,
                                         const std::vector<PresentThread>& present);

// Those that have a CPU now, or wait for one.
std::vector<PresentThread> runnable_ones(const std::vector<PresentThread>& threads);

}  // namespace tacho
