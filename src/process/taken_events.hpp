// The kernel takes the events of a user away when the command executes a program that the user may
// not look into: a set-user-ID or set-group-ID program, one with file capabilities, or one that may
// not be read (begin_new_exec in fs/exec.c of Linux). What was counted until then looks like a
// count.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"

namespace tacho {

// Why the kernel takes the events away when this user executes the program: "'ping' has file
// capabilities". Returns nothing if its file shows no reason. Looks along PATH as execvp(3) does.
// `directory` is the program's working directory, or empty: tacho's.
std::optional<std::string> why_events_are_taken(const std::string& program,
                                                const std::string& directory = {});

// The CPU time of a command, in nanoseconds.
struct CommandTime {
  double all = 0;     // of the command and its children, from the start to the end of each process
  double launch = 0;  // the part before the command's program began, or a little more
};

// Whether the events of a command were taken away: they were on for `events_ns`. `expected`:
// why_events_are_taken() has a reason.
bool were_taken(double events_ns, CommandTime cpu, bool expected);

// What to say if the events miss a part of the CPU time, but were not taken away from the command
// itself: from a program that it started, for instance. Nothing if they miss little.
std::optional<std::string> missed_time_warning(double events_ns, CommandTime cpu);

// The reason and the remedy. `command` may be empty: then the reason is a general one.
Error taken_events(std::span<const std::string> command, const std::string& directory = {});

// The CPU time that a process has used so far, without its children; nothing if it has ended.
std::optional<double> cpu_time_ns(int pid);

// Whether the process has begun to exit: it has no program any more.
bool is_exiting(int pid);

}  // namespace tacho
