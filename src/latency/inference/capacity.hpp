// From the size at which half of the loads miss to the capacity of a cache or a TLB.
#pragma once

#include "latency/inference/results.hpp"
#include "stats/monotone_curve.hpp"

namespace tacho {

struct Capacity {
  double value = 0;
  Interval interval;
};

// `edge` is in log2 of bytes, or of entries. `ways` may be unknown (0). `orderly`: the sets fill in
// turn and replace the least recently used line, as those of first-level caches do.
Capacity capacity_at(const Crossing& edge, unsigned ways, bool orderly);

// The multiple of the capacity at which sets with random replacement miss the share `missed` (above
// 0, below 1) of the loads, if the lines are visited in a cycle. Each miss replaces a given line
// once in `ways`. The line is found if no miss has replaced it since its last use.
double filled_at_random(double missed, double ways);

}  // namespace tacho
