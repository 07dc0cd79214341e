// chase: lists that are walked load by load, to see what a load costs; what the times mean is for
// analysis to say. Here: all sizes of a machine's memory hierarchy, one after the other, on which
// pages, and in which order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "latency/chase/sampler.hpp"
#include "latency/inference/latency.hpp"

namespace tacho::chase {

struct SweepRequest {
  std::size_t most_bytes = 0;      // of the largest list
  std::vector<std::size_t> sizes;  // only these, in rising order; empty: two an octave, with more
                                   // of them at edges, and the translations' sweep on small pages
  bool small = true;               // with the kernel's base pages
  bool huge = true;
  int cpu = 0;  // the one that the calling thread is kept to
  std::size_t line_bytes = 64;
  Advertised advertised;
  double tick_hz = 0;
  Access access = Access::load;
  Timer timer = Timer::ticks;
  Effort effort;
};

struct SweepProgress {
  double done = 0;  // a part of the whole, roughly
  std::string what;
};

struct Sweep {
  std::vector<SizeRun> runs;
  std::vector<HeldLines> held;        // by the caches that a core has for itself
  std::vector<std::string> warnings;  // what could not be had
  bool partial = false;               // stopped before its end
  double waited_s = 0;  // for the CPU, which others had, or a limit (cpu.max) withheld
  double stolen_s = 0;  // by the hypervisor
  bool knows_stolen = false;
};

// An error only where nothing could be measured; what ends it later leaves a part and a warning.
Result<Sweep> sweep(const SweepRequest& request, const Stop& stop,
                    const std::function<void(const SweepProgress&)>& progress);

}  // namespace tacho::chase
