// Merges neighbouring rounds in pairs, so the memory of a long run has a bound.
#pragma once

#include <cstddef>

#include "stats/measurement.hpp"

namespace tacho {

// add_period() merges rounds when a run reaches this number of periods.
inline constexpr std::size_t kMostPeriods = 65'536;

// Merges rounds 2k and 2k+1 into round k and doubles `merge_factor`. For each set it adds the
// durations, references, times and counts of the two periods; the start is the earlier one. If a
// set has a period in only one of the two rounds, it keeps this period. Sums over all periods and
// estimates do not change. Intervals then come from differences between merged rounds: they are as
// honest, but have fewer degrees of freedom.
void merge_rounds(Measurement&);

// Appends a period. Its `round` is the number of the round in the run, from 0, before any merge. If
// rounds were merged before, the period is added to the merged round it belongs to. When `most`
// periods are reached, it merges rounds. Periods must come in time order.
void add_period(Measurement&, Period, std::size_t most = kMostPeriods);

}  // namespace tacho
