#include "stats/lane_view.hpp"

#include <algorithm>

namespace tacho {

// The sets of a lane have consecutive numbers.
LaneView view_of_lane(const Measurement& m, std::size_t lane) {
  LaneView view;
  const auto first = std::ranges::find(m.lane_of_set, lane);
  view.first_set = static_cast<std::size_t>(first - m.lane_of_set.begin());
  Measurement& own = view.measurement;
  own.workload = m.workload;
  own.machine = m.machine;
  own.reference = m.lanes[lane].reference;
  own.reference_total = m.lanes[lane].reference_total;
  own.sets = static_cast<std::size_t>(std::ranges::count(m.lane_of_set, lane));
  own.merge_factor = m.merge_factor;
  own.period_ms = m.period_ms;
  own.turning_s = m.turning_s;
  for (const Period& period : m.periods) {
    if (period.set >= m.lane_of_set.size() || m.lane_of_set[period.set] != lane) continue;
    own.periods.push_back(period);
    own.periods.back().set -= static_cast<std::uint32_t>(view.first_set);
  }
  return view;
}

}  // namespace tacho
