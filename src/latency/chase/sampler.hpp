// Measures one list: single loads and blocks of loads, each with the bias of the clock, in slices
// of which other work disturbs only a few; and the rate of the core's clock meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "latency/chase/kernels.hpp"
#include "latency/chase/list.hpp"
#include "latency/chase/route.hpp"
#include "latency/chase/slices.hpp"
#include "latency/inference/rules.hpp"
#include "latency/inference/samples.hpp"

namespace tacho::chase {

// How much is measured of each list.
struct Effort {
  std::size_t singles = kLatencyRules.sample.singles;
  std::size_t blocks = kLatencyRules.sample.blocks;
  std::size_t own_lines = kLatencyRules.sample.own_lines;  // that caches of the core's own may hold
  double step = 1;                                         // of the clock: see ChosenTimer
  unsigned block_times = 1;                                // kBlock accesses each
  // A list is walked this often before it is timed, or for `warming`.
  std::size_t walks = kLatencyRules.sample.walks;
  std::chrono::nanoseconds warming = kLatencyRules.sample.warming;
};

class Sampler {
 public:
  Sampler(Access access, Timer timer, Effort effort, Stop stop);

  // Measures the list as it is. The caller adds the sizes and the page size to the sample. None
  // when stopped. `longest` limits the time for the samples of each kind.
  std::optional<LatencySample> measure(const List& list, std::chrono::nanoseconds longest);

 private:
  Kernel kernel_;
  Timer timer_;
  Effort effort_;
  Stop stop_;
  SharedCore shared_core_;
};

// The clock of the calling thread's core, in ticks of the timer.
struct CoreRate {
  double cycles_per_tick = 1;
  double spread = 0;  // as that of CoreClock
};
CoreRate core_rate(Timer timer);

}  // namespace tacho::chase
