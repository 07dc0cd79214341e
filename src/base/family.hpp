// The family of a process.
#pragma once

#include <sys/types.h>

#include <vector>

namespace tacho {

// A process and its living descendants, parents first. What has been adopted by init (a daemon) is
// no longer among them. At most 64 Ki.
std::vector<pid_t> family_of(pid_t pid);

}  // namespace tacho
