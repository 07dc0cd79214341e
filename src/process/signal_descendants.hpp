// Sends a signal to every process that this process has started.
#pragma once

#include <sys/types.h>

namespace tacho {

// Sends the signal to `child` and to all descendants of this process. If the signal ends a process
// that has just forked, its new child gets the signal too. A process that handles the signal (a
// shell's trap) may start others; these do not get it. Without lists of children in /proc, only
// `child` gets the signal.
void signal_descendants(pid_t child, int signal);

}  // namespace tacho
