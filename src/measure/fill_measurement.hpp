// Fills the Measurement of a run, of its parts and of its intervals from readings of counters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/plan.hpp"
#include "measure/target_counters.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Returns a Measurement with the requested events and the slot in which each is counted. `refused`
// has an entry for each event of the plan; the reference may be one more than the requested events.
Measurement blank_measurement(const Plan& plan, const std::vector<std::optional<Error>>& refused);

// Marks the events that do not count on `cpu`, because its core has another PMU. `part` is the
// Measurement of this CPU.
void mark_elsewhere(Measurement& part, const Plan& plan, int cpu);

// Adds a part's period, or readings, to those of the whole.
void add(Period& whole, const Period& part);
void add(std::vector<Reading>& whole, std::span<const Reading> part);

// Fills in the totals of the events counted all the time, for a run or an interval of it. Marks the
// events that were on but never had a counter.
void fill_totals(Measurement& measurement, const Plan& plan, std::span<const Reading> always);

// Returns the counts of the readings, without their times.
std::vector<std::uint64_t> values(std::span<const Reading> readings);

// Returns now - before for counts and times, slot by slot; sets `before` to now.
std::vector<Reading> gained_since(std::vector<Reading>& before, std::vector<Reading> now);

}  // namespace tacho
