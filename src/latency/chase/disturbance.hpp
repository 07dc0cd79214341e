// What disturbs a measurement: time that its thread lost, and the state of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace tacho::chase {

// Number of times that the kernel took the CPU from the calling thread. One system call.
std::uint64_t involuntary_switches();

// Times since some moment, in ns. 0 if the kernel does not report them.
struct TimeTaken {
  std::uint64_t waited = 0;  // the thread was ready while another one ran (schedstat)
  std::uint64_t stolen = 0;  // the hypervisor ran something else on this CPU (/proc/stat)
  bool knows_stolen = false;
};
TimeTaken time_taken(int cpu, const std::string& root = {});

// Empty, or 0, if the kernel does not report it.
struct MachineState {
  std::string governor;  // of the CPU's frequency
  double load = 0;       // load average of the last minute
  bool knows_load = false;
};
MachineState machine_state(int cpu, const std::string& root = {});

}  // namespace tacho::chase
