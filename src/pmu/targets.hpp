// Translates a target to the (pid, cpu) pairs that perf_event_open(2) needs.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct Place {
  pid_t pid = 0;
  int cpu = -1;
};

// One place for each thread or CPU. `cpus` is the cpumask in sysfs of a PMU that counts on these
// CPUs for several others; empty: the PMU counts on every CPU. EveryCpu then means these CPUs, and
// OneCpu is an error.
Result<std::vector<Place>> places(const Target& target, std::string_view cpus);

// The present threads of a process, in numerical order.
Result<std::vector<pid_t>> threads_of(pid_t pid);

}  // namespace tacho
