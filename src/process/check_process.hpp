// Whether an id that a user gave is one of a process.
#pragma once

#include <sys/types.h>

#include "base/result.hpp"

namespace tacho {

// An error that names the process when `pid` is only one of its threads: the kernel would take it
// for that thread here and for the whole process there. A process that is not there is no error
// here: who opens it has more to say.
Result<void> check_process(pid_t pid);

}  // namespace tacho
