// Limits that tacho changes for its own process, and restores for the programs it starts.
#pragma once

namespace tacho {

// Call it once, at the start of the program. Raises the soft limit of open files to the hard limit,
// because each event takes a descriptor on every thread or CPU. Ignores SIGXFSZ: a file at its
// limit (ulimit -f) is then a write error like a full disk, and the signal does not end tacho.
void adjust_own_limits();

// Restores the limits in a child between fork and exec. Async-signal-safe.
void restore_own_limits();

// Restores the limits while the object exists, for programs that are started by posix_spawn(3),
// which cannot set limits. Code that needs the raised limit must not run during this time.
class RestoredLimits {
 public:
  RestoredLimits();
  RestoredLimits(const RestoredLimits&) = delete;
  RestoredLimits& operator=(const RestoredLimits&) = delete;
  ~RestoredLimits();
};

}  // namespace tacho
