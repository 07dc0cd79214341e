// Several independent chases at once: how many accesses the core has under way.
#pragma once

#include <cstddef>
#include <optional>

#include "latency/chase/kernels.hpp"
#include "latency/chase/list.hpp"
#include "latency/chase/sampler.hpp"
#include "stats/difference.hpp"

namespace tacho::chase {

// Nanoseconds of the time for each access, below which the fastest fifth of some stretches lies, of
// 1 to kMostChases chases through the list from places far apart. None when stopped.
std::optional<Estimated> together_ns(const List& list, unsigned chases, Access access,
                                     const Stop& stop);

}  // namespace tacho::chase
