// Reaches all that this process has started.
#pragma once

#include <sys/types.h>

namespace tacho {

// Sends a signal to a child of this process and to all else that descends from it. That includes a
// child which one that dies of the signal has just forked, but not what one that handles it (a
// shell's trap) starts in reply. Where /proc tells no children, only `child` gets it.
void signal_descendants(pid_t child, int signal);

}  // namespace tacho
