// What tacho changes for its whole process, and what its workload must find as it was.
#pragma once

namespace tacho {

// Once, at the program's start. The soft limit of open files becomes the hard one: each event takes
// a descriptor on every thread or CPU. A file that may not grow (ulimit -f) is an error of writing,
// as a full disk is, and no death of SIGXFSZ.
void adjust_own_limits();

// In a child, between fork and exec: takes that back. Async-signal-safe.
void restore_own_limits();

// Takes it back for as long as this lives: for helpers that are spawned meanwhile, as
// posix_spawn(3) can't set limits. Nothing that needs the raised limit happens meanwhile.
class RestoredLimits {
 public:
  RestoredLimits();
  RestoredLimits(const RestoredLimits&) = delete;
  RestoredLimits& operator=(const RestoredLimits&) = delete;
  ~RestoredLimits();
};

}  // namespace tacho
