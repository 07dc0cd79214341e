// Keeps a process on a CPU: the counters of one CPU count only what runs there.
#pragma once

#include <sys/types.h>

#include "base/result.hpp"

namespace tacho::arm {

Result<void> pin(pid_t pid, int cpu);

// Whether the process may run elsewhere. One that has ended can't.
bool may_leave(pid_t pid, int cpu);

}  // namespace tacho::arm
