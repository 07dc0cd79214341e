// Reaches all that this process has started.
#pragma once

namespace tacho {

// Sends a signal to all that descends from this process. That includes a child which one that dies
// of the signal has just forked, but not what one that handles it (a shell's trap) starts in reply.
void signal_descendants(int signal);

}  // namespace tacho
