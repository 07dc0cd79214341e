// The family of a process.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// A value from /proc/PID/status, such as that of "PPid"; empty when the process is gone.
std::string status_value(pid_t pid, std::string_view name);

// A process and its living descendants, parents first. What has been adopted by init (a daemon) is
// no longer among them. At most 64 Ki.
std::vector<pid_t> process_tree(pid_t pid);

}  // namespace tacho
