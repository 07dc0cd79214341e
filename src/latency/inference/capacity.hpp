// From where half of the loads miss to what a cache, or a TLB, holds.
#pragma once

#include "latency/inference/latency.hpp"
#include "stats/monotone_curve.hpp"

namespace tacho {

struct Capacity {
  double value = 0;
  Interval interval;
};

// `edge` is in log2 of what is held (bytes, or entries). `ways` may be unknown (0). Whether sets
// are known to fill in turn and to keep an order of use, as those of first-level caches are.
Capacity capacity_at(const Crossing& edge, unsigned ways, bool orderly);

// How many times its capacity lines are, of which the share `missed`, above 0 and below 1, is
// missed when they are visited in a cycle, by sets that take any of their lines when they need
// room: each miss takes a given one once in `ways`, and it is found if none has since its last use.
double filled_at_random(double missed, double ways);

}  // namespace tacho
