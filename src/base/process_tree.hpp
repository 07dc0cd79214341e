// Processes and their threads, from /proc: which there are, their descendants, names and states.
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

// The letter of a thread's state (proc_pid_stat(5)): R runs or could run, Z and X have ended,
// others wait. Returns 0 if there is no such thread.
char thread_state(pid_t tid);
// Whether it waits, in whichever way.
bool is_waiting(char state);

// The name of a thread, which may have any characters. Empty if there is no such thread.
std::string thread_name(pid_t tid);

// Whether the mounted /proc has the numbers of this process's namespace.
bool has_own_proc();

// Whether this process has the same number for itself as for the kernel: its PID namespace is the
// first one (pid_namespaces(7)).
bool is_in_first_pid_namespace();

// The numbers that the kernel gives to processes and threads, one after the other.
struct ThreadNumbers {
  pid_t newest = 0;  // the last one that was given
  pid_t most = 0;    // after this one, the kernel begins anew with small ones
};
ThreadNumbers thread_numbers();

// Returns a process and its living descendants, parents first, at most 65,536 of them. A daemon
// that init has adopted is not among them.
std::vector<pid_t> process_tree(pid_t pid);

}  // namespace tacho
