// CPUs by their numbers: lists of them as the kernel writes them, and which of them threads may
// use.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// "0-3,8" as numbers; empty on nonsense or more than 64 Ki CPUs.
std::vector<int> parse_cpu_list(std::string_view text);

// Those that a process or thread may run on, 0 for the calling one. An error's code is ESRCH when
// it has ended.
Result<std::vector<int>> allowed_cpus(pid_t pid);

// Keeps it to one CPU. 0, or errno: who asks knows what to say.
int keep_to_cpu(pid_t pid, int cpu);

// The CPUs that the calling thread may run on; empty if the kernel does not say.
std::vector<int> allowed_cpus();

// Keeps the calling thread to one CPU. The error names the CPUs that it may use.
Result<void> keep_to_cpu(int cpu);

}  // namespace tacho
