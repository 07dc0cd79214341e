// Checks the times of counters against the CPU time of a thread, and the count of a CPU against
// that of the only busy thread on it.
#pragma once

#include <cstdint>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

// Times of a busy thread in seconds, all of the same work.
struct BusyTimes {
  double enabled = 0;  // of the event
  double task_clock = 0;
  double cpu = 0;
  double wall = 0;
  double stolen = 0;  // by the hypervisor, as the kernel says; some clocks count it and some do not
};

// Not proved if both clocks of the counters agree on more than the CPU time, but on no more than
// the wall time: then the CPU was taken from the thread, as by a hypervisor that does not say so.
Proof judge_times(const BusyTimes& times);
// Counts of a CPU and of the thread that kept it busy. `others`: the part of the time in which the
// CPU did not run the thread.
Proof judge_every_cpu(std::uint64_t cpu, std::uint64_t thread, double others);

Proof prove_times(const Bench& bench);
Proof prove_every_cpu(const Bench& bench);

}  // namespace tacho::prove
