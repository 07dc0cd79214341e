// The Measurement of one reporting interval, of the whole run or of a part of it.
#pragma once

#include <span>
#include <vector>

#include "measure/plan.hpp"
#include "measure/target_counters.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// What is kept from the end of one interval to the end of the next one.
struct SinceInterval {
  std::vector<Period> periods;  // that have ended meanwhile
  std::vector<Reading> last;    // events counted always, at the end of the last interval
};

// Returns what `all` gained since the last interval, and begins the next one. `always` is the
// reading now, `targets` as for fill_totals(). The times of the workload are still those of `all`.
Measurement slice_of(Measurement& all, SinceInterval& since, const Plan& plan,
                     std::vector<Reading> always, std::span<const TargetCounters> targets);

}  // namespace tacho
