// Which clock to time loads with, here.
#pragma once

#include <string>

#include "latency/chase/kernels.hpp"
#include "pmu/perf/self_group.hpp"

namespace tacho::chase {

struct ChosenTimer {
  Timer timer = Timer::ticks;
  double hz = 0;
  std::string name;          // for reports: "TSC at 2 GHz, wall-like"
  double step = 1;           // ticks by which it goes on at once, as a rule
  unsigned block_times = 1;  // how long blocks must be for its steps not to matter
  SelfGroup opened = {};  // the event for whose sake the kernel lets this thread read it; or none
};

// The calling thread, which is the one that times, must be kept to `cpu`. On ARM the core's cycle
// counter, where it counts and the kernel module tacho_pmu lets user space read it, or the kernel
// itself does (kernel.perf_user_access); else, and everywhere else, tacho::ticks().
ChosenTimer choose_timer(int cpu);

}  // namespace tacho::chase
