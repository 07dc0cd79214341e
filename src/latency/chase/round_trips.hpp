// The time to hand a cache line from one CPU to another and back.
#pragma once

#include <optional>

#include "latency/chase/route.hpp"
#include "stats/difference.hpp"

namespace tacho::chase {

// The median over short series, in ns. Leaves the calling thread on `from`. None when stopped, or
// if a thread can't run on one of the CPUs.
std::optional<Estimated> round_trip_ns(int from, int to, const Stop& stop);

}  // namespace tacho::chase
