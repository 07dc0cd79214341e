// Several independent chases at once: they show how many accesses a core can have under way.
#pragma once

#include <cstddef>
#include <optional>

#include "latency/chase/kernels.hpp"
#include "latency/chase/list.hpp"
#include "latency/chase/sampler.hpp"
#include "stats/difference.hpp"

namespace tacho::chase {

// Time in ns for each access of 1 to kMostChases chases through the list, from places far apart. It
// is a low quantile of many stretches, because the slower ones may have met other work. None when
// stopped.
std::optional<Estimated> parallel_chase_ns(const List& list, unsigned chases, Access access,
                                           const Stop& stop);

}  // namespace tacho::chase
