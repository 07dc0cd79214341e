// Measures one list: single loads and short blocks of them, each beside the bias of its timing, in
// slices that others' disturbances spoil one by one; and how the core's clock went meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "latency/chase/kernels.hpp"
#include "latency/chase/list.hpp"
#include "latency/chase/route.hpp"
#include "latency/chase/slices.hpp"
#include "latency/inference/latency.hpp"

namespace tacho::chase {

struct Effort {
  std::size_t singles = 2048;
  std::size_t blocks = 512;
  std::size_t own_lines = std::size_t{1} << 15U;  // that caches of the core's own may hold
  double step = 1;                                // of the clock: see ChosenTimer
  unsigned block_times = 1;                       // kBlock accesses each
  // A list is walked before: so often, or as long as this. What a cache may still hold of a longer
  // one was loaded in this time, and comes up again only after a whole traversal.
  std::size_t walks = 2;
  std::chrono::nanoseconds warming = std::chrono::milliseconds(150);
};

// One size, measured.
struct SizeRun {
  LatencySample sample;
  // Ticks of a load in a long chain that is timed as a whole, the fastest of some: what the samples
  // must agree with where the whole chain stays in the nearest caches. 0: not taken.
  double chain_ticks = 0;
};

class Sampler {
 public:
  Sampler(Access access, Timer timer, Effort effort, Stop stop);

  // Of a list as it is; the sample's sizes and page are the caller's to tell. None when stopped.
  // `longest` is for the samples of each kind.
  std::optional<SizeRun> measure(const List& list, std::chrono::nanoseconds longest);

 private:
  Kernel kernel_;
  Timer timer_;
  Effort effort_;
  Stop stop_;
  Company company_;
};

// How the calling thread's core runs, in ticks of the timer.
struct Rate {
  double cycles_per_tick = 1;
  double spread = 0;  // as CoreClock
};
Rate core_rate(Timer timer);

}  // namespace tacho::chase
