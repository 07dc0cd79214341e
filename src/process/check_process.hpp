// Checks that a user's PID is a process and not one of its threads, and that a TID is a thread.
#pragma once

#include <sys/types.h>

#include "base/result.hpp"

namespace tacho {

// Returns an error that names the process if `pid` is only one of its threads. Some system calls
// would take such a number for the thread, and others for the whole process. A process that does
// not exist is not an error here: the call that opens it gives a better one.
Result<void> check_process(pid_t pid);

// An error if there is no such thread.
Result<void> check_thread(pid_t tid);

}  // namespace tacho
