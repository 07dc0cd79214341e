// The clock that loads are timed with on this machine.
#pragma once

#include <string>

#include "latency/chase/kernels.hpp"
#include "pmu/perf/self_group.hpp"

namespace tacho::chase {

struct ChosenTimer {
  Timer timer = Timer::ticks;
  double hz = 0;
  std::string name;          // for reports: "TSC at 2 GHz, wall-like"
  double step = 1;           // ticks by which it usually advances
  unsigned block_times = 1;  // length of blocks for which its steps do not matter
  SelfGroup opened = {};  // while it exists, the kernel lets this thread read the counter; or empty
};

// The calling thread, which also times, must be kept to `cpu`. On ARM the clock is the core's cycle
// counter, if it counts and user space may read it: the kernel module tacho_pmu or the kernel
// itself (kernel.perf_user_access) allows that. Otherwise it is tacho::ticks().
ChosenTimer choose_timer(int cpu);

}  // namespace tacho::chase
