// Checks the times of counters against the CPU time of a thread, and the count of a CPU against
// that of the only busy thread on it.
#pragma once

#include <cstdint>

#include "doctor/prove/bench.hpp"

namespace tacho::prove {

// Times in seconds. `stolen`: taken by the hypervisor meanwhile, which some clocks count and some
// do not.
Proof judge_times(double enabled, double task_clock, double cpu, double stolen);
// Counts of a CPU and of the thread that kept it busy. `others`: the part of the time in which the
// CPU did not run the thread.
Proof judge_every_cpu(std::uint64_t cpu, std::uint64_t thread, double others);

Proof prove_times(const Bench& bench);
Proof prove_every_cpu(const Bench& bench);

}  // namespace tacho::prove
