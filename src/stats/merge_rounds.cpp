#include "stats/merge_rounds.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace tacho {
namespace {

void merge(Period& into, const Period& from) {
  into.start_s = std::min(into.start_s, from.start_s);
  into.duration_s += from.duration_s;
  into.reference += from.reference;
  into.enabled_ns += from.enabled_ns;
  into.running_ns += from.running_ns;
  into.counts.resize(std::max(into.counts.size(), from.counts.size()));
  for (std::size_t slot = 0; slot < from.counts.size(); ++slot)
    into.counts[slot] += from.counts[slot];
}

// The lane of a set; on unequal cores each lane has rounds of its own.
std::size_t lane_number(const Measurement& measurement, std::uint32_t set) {
  return set < measurement.lane_of_set.size() ? measurement.lane_of_set[set] : 0;
}

// Adds the period to the one of the same set in the same round, which is among the last ones of its
// lane. Appends it if there is none.
void add_to_round(const Measurement& measurement, std::vector<Period>& periods, Period period) {
  const std::size_t lane = lane_number(measurement, period.set);
  for (Period& before : periods | std::views::reverse) {
    if (lane_number(measurement, before.set) != lane) continue;
    if (before.round != period.round) break;
    if (before.set == period.set) return merge(before, period);
  }
  periods.push_back(std::move(period));
}

}  // namespace

void merge_rounds(Measurement& measurement) {
  std::vector<Period> merged;
  merged.reserve(measurement.periods.size() / 2 + measurement.sets);
  for (Period& period : measurement.periods) {
    period.round /= 2;
    add_to_round(measurement, merged, std::move(period));
  }
  measurement.periods = std::move(merged);
  measurement.merge_factor *= 2;
}

void add_period(Measurement& measurement, Period period, std::size_t most) {
  period.round /= static_cast<std::uint32_t>(measurement.merge_factor);
  add_to_round(measurement, measurement.periods, std::move(period));
  if (measurement.periods.size() >= most) merge_rounds(measurement);
}

}  // namespace tacho
