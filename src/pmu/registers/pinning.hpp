// Binds a process to a CPU, because the counters of a CPU count only what runs there.
#pragma once

#include <sys/types.h>

#include "base/result.hpp"

namespace tacho::arm {

Result<void> pin(pid_t pid, int cpu);

// Whether the process may run on another CPU; false if it has ended.
bool may_leave(pid_t pid, int cpu);

}  // namespace tacho::arm
