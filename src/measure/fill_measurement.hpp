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
// events that were on but never had a counter, and those that could not be read from one of the
// targets: what is known of them is not their count.
void fill_totals(Measurement& measurement, const Plan& plan, std::span<const Reading> always,
                 std::span<const TargetCounters> targets = {});

// The kernel can lose a part of the time in which the events of a launched command were on: the
// time in which an event had no counter in children that ended meanwhile (Linux without commit
// a3c3c66670ce), and all that follows the exec of a program with more privileges. A count of the
// rest would look like one of the whole run. So an event that lacks time gets the whole time as its
// time enabled, and a warning names it. The whole is the time of the command's software events, or
// `task_ns` (TargetCounters::task_ns), or its CPU time.
void hold_against_time(Measurement& measurement, const Plan& plan, std::span<Reading> always,
                       std::uint64_t task_ns);

// Returns the counts of the readings, without their times.
std::vector<std::uint64_t> values(std::span<const Reading> readings);

// Returns now - before for counts and times, slot by slot; sets `before` to now.
std::vector<Reading> gained_since(std::vector<Reading>& before, std::vector<Reading> now);

}  // namespace tacho
