// All processes, the descendants of one, and values of its status file, from /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Returns a value of /proc/PID/status, for example of "PPid". Empty if the process has ended.
std::string status_value(pid_t pid, std::string_view name);

// Returns all processes, by number.
std::vector<pid_t> all_processes();

// Returns a process and its living descendants, parents first, at most 65,536 of them. A daemon
// that init has adopted is not among them.
std::vector<pid_t> process_tree(pid_t pid);

}  // namespace tacho
