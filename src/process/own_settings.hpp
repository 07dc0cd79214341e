// What tacho changes for its whole process, and what its workload must find as it was.
#pragma once

namespace tacho {

// Once, at the program's start. The soft limit of open files becomes the hard one: each event takes
// a descriptor on every thread or CPU. A file that may not grow (ulimit -f) is an error of writing,
// as a full disk is, and no death of SIGXFSZ.
void settle_in();

// In a child, between fork and exec: takes that back. Async-signal-safe.
void unsettle();

}  // namespace tacho
