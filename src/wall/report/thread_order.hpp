// The order in which a report of waits shows threads.
#pragma once

#include <cstddef>
#include <vector>

#include "wall/report/wall_summary.hpp"

namespace tacho {

// Numbers in WallSummary::threads: those that ran longest first; where running time was not
// sampled, those that waited longest.
std::vector<std::size_t> thread_order(const WallSummary&);

}  // namespace tacho
