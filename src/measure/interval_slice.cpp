#include "measure/interval_slice.hpp"

#include <utility>

#include "measure/fill_measurement.hpp"

namespace tacho {

Measurement slice_of(Measurement& all, SinceInterval& since, const Plan& plan,
                     std::vector<Reading> always, std::span<const TargetCounters> targets) {
  // A copy with the periods of the whole run would take longer the longer it runs.
  std::vector<Period> kept = std::exchange(all.periods, {});
  Measurement slice = all;
  all.periods = std::move(kept);
  slice.periods = std::exchange(since.periods, {});
  slice.merge_factor = 1;
  fill_totals(slice, plan, gained_since(since.last, std::move(always)), targets);
  return slice;
}

}  // namespace tacho
