// Folding: keeps the memory of a long run bounded by merging neighbouring rounds.
#pragma once

#include <cstddef>

#include "stats/measurement.hpp"

namespace tacho {

// The number of periods from which add_period folds.
inline constexpr std::size_t kMostPeriods = 65'536;

// Merges rounds 2k and 2k+1 into round k: of each set, the durations, references, times and counts
// of its two periods are added, the start is the earlier one, and `merge_factor` doubles. Sums over
// all periods stay exactly as they were. A set that had a turn in one of the two rounds only keeps
// that one. Estimates do not change; intervals then come from differences between merged rounds,
// which is as honest, only with fewer degrees of freedom.
void merge_rounds(Measurement&);

// Appends a period whose `round` counts the run's rounds from 0 as they were turned. Once the
// measurement has been folded, the period is added to the merged round that it belongs to; when
// `most` periods are reached, it folds. Periods must come in time order.
void add_period(Measurement&, Period, std::size_t most = kMostPeriods);

}  // namespace tacho
