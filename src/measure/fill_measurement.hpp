// Keeps the books of a run: turns readings into the Measurement of the whole and of its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "measure/plan.hpp"
#include "measure/target_counters.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// The Measurement's events, in the order asked for, with where each is counted. `refused` may be
// longer than the events asked for (the reference stands behind them).
Measurement blank_measurement(const Plan& plan, const std::vector<std::optional<Error>>& refused);

// A period of the whole is the sum of its lanes'.
void add(Period& whole, const Period& part);
void add(std::vector<Reading>& whole, std::span<const Reading> part);

// Fills in the totals of what counted always (of a run, or of an interval of it), and finds the
// events that were on but never ran.
void fill_totals(Measurement& measurement, const Plan& plan, std::span<const Reading> always);

// Says so where an event that was counted left out kernel mode, which `restriction` forbids.
void warn_of_restriction(Measurement& measurement, std::string_view restriction);

// The counts alone.
std::vector<std::uint64_t> values(std::span<const Reading> readings);

// now - before, slot by slot, counts and times; `before` then becomes now.
std::vector<Reading> gained_since(std::vector<Reading>& before, std::vector<Reading> now);

}  // namespace tacho
