// What others do to a measurement meanwhile: time that was taken from its thread.
#pragma once

#include <cstdint>
#include <string>

namespace tacho::chase {

// How often the kernel has taken the CPU from the calling thread. Cheap: one system call.
std::uint64_t involuntary_switches();

// Times since some moment, in nanoseconds. What the kernel does not tell stays 0.
struct TimeTaken {
  std::uint64_t waited = 0;  // the thread was ready to run, and another one ran (schedstat)
  std::uint64_t stolen = 0;  // the hypervisor ran something else on this CPU (/proc/stat)
  bool knows_stolen = false;
};
TimeTaken time_taken(int cpu, const std::string& root = {});

// What else there is to know of the machine's state; empty where it is not told.
struct MachineState {
  std::string governor;  // of the CPU's frequency
  double load = 0;       // threads that ran or wanted to, the last minute's average
  bool knows_load = false;
};
MachineState machine_state(int cpu, const std::string& root = {});

}  // namespace tacho::chase
