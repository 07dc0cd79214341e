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

// The time for which a task and its children ran, as its software events tell it, or `task_ns`
// (TargetCounters::task_ns) if that is more; 0 if it is not known.
std::uint64_t time_of_task(const Plan& plan, std::span<const Reading> always,
                           std::uint64_t task_ns);

// The kernel has taken the events away from the command (process/taken_events.hpp): none of them is
// a count.
void mark_taken(Measurement& measurement);

// Compares the time of the events of a launched command with its CPU time. If most of it is
// missing, the kernel has taken the events away (mark_taken). Otherwise it may have lost the time
// in which an event had no counter in children that ended meanwhile (Linux without commit
// a3c3c66670ce). A count of the rest would look like one of the whole run. So an event that lacks
// time gets the whole time as its time enabled, and a warning names it. If counting was off for a
// while, the CPU time says nothing. `task_ns`: as in time_of_task().
void hold_against_time(Measurement& measurement, const Plan& plan, std::span<Reading> always,
                       std::uint64_t task_ns);

// Returns the counts of the readings, without their times.
std::vector<std::uint64_t> values(std::span<const Reading> readings);

// Returns now - before for counts and times, slot by slot; sets `before` to now.
std::vector<Reading> gained_since(std::vector<Reading>& before, std::vector<Reading> now);

}  // namespace tacho
