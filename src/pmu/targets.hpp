// From a target to the (pid, cpu) pairs that perf_event_open(2) wants.
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

// One place a thread or CPU. `cpus` restricts EveryCpu to a PMU's own CPUs (a sysfs cpumask); empty
// means all that are online. What such a PMU counts is not one CPU's: OneCpu is refused.
Result<std::vector<Place>> places(const Target& target, std::string_view cpus);

// The present threads of a process, in numerical order.
Result<std::vector<pid_t>> threads_of(pid_t pid);

}  // namespace tacho
