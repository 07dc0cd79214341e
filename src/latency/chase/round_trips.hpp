// What it takes to hand a line from one CPU to another and back.
#pragma once

#include <optional>

#include "latency/chase/sampler.hpp"
#include "stats/difference.hpp"

namespace tacho::chase {

// The median over short series, in nanoseconds; the calling thread is kept to `from` by it. None
// when stopped, or when one of the CPUs can't be had.
std::optional<Estimated> round_trip_ns(int from, int to, const Stop& stop);

}  // namespace tacho::chase
