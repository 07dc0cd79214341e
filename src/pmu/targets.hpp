// Translates a target to the (pid, cpu) pairs that perf_event_open(2) needs.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct Place {
  pid_t pid = 0;  // of a control group: the descriptor of its directory
  int cpu = -1;
};

// One place for each thread or CPU.
Result<std::vector<Place>> places(const Target& target);

// The places where the event counts. The event of a core PMU counts on those CPUs of the target
// that are the PMU's; it is an error if there are none. The event of a PMU outside the core counts
// on its own CPUs for several others: EveryCpu means these CPUs, and SomeCpus is an
// error.
Result<std::vector<Place>> places(const Target& target, const Event& event);

// Whether the target is CPUs, and not what runs on them.
bool is_of_cpus(const Target& target);

// Whether the event counts on this CPU: false if its core PMU is another one than the CPU's.
bool counts_on(const Event& event, int cpu);

// The present threads of a process, in numerical order.
Result<std::vector<pid_t>> threads_of(pid_t pid);

}  // namespace tacho
