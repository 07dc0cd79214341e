// measure: plans event sets, turns them in periods, and yields a Measurement.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pmu/pmu.hpp"

namespace tacho {

// The events of one core PMU, on a machine with unequal cores. Each lane has sets and a reference
// of its own, because another PMU's cycles say nothing about the time on these cores. At any time
// one set of each lane is on.
struct PlannedLane {
  std::string pmu;   // empty: events without a core PMU, of a user who gives `counters`
  std::string cpus;  // of the PMU: "0-7"
  std::optional<std::size_t> reference;  // counted all the time
  // Each set has its own counter for the reference, so both run for exactly the same time. Some
  // PMUs cannot do this: ARMv7 has one counter for cycles, which already counts all the time.
  bool reference_in_sets = true;
  std::optional<int> counters;  // beside the reference, if known
};

// Which events count together, and when. An event is given by its index in `events`.
struct Plan {
  std::vector<Event> events;  // as requested, then the reference if it was not requested
  std::size_t asked = 0;      // the number of requested events
  std::vector<std::optional<Error>> refused;     // by event: why it cannot be counted
  std::vector<std::vector<std::size_t>> always;  // groups that count all the time
  std::vector<std::vector<std::size_t>> sets;    // sets that take turns; empty if all events fit
  // The turned events again, counted all the time (only a simulation can): their truth.
  std::vector<std::size_t> truth;
  // Of the only lane; on unequal cores of the first one.
  std::optional<std::size_t> reference;
  bool reference_in_sets = true;
  std::optional<int> counters;
  std::vector<PlannedLane> lanes;        // on unequal cores only
  std::vector<std::size_t> lane_of_set;  // by set; empty without lanes
  std::vector<std::string> warnings;

  // The lane of a set.
  PlannedLane lane_of(std::size_t set) const;
  // The place of an event among all that count all the time; none if it does not.
  std::optional<std::size_t> always_slot(std::size_t event) const;
  // The sets of each lane that has any.
  std::vector<std::vector<std::size_t>> sets_of_lanes() const;
};

// Opens the events to find which ones count here and which ones fit together. The events of a group
// belong to one core PMU, or to none (by_core_pmu). They are tried on a CPU of their own PMU, where
// the calling thread may run there. If `counters` is given, plans for this number of counters (1 or
// more); software events then need counters too.
Plan make_plan(Pmu& pmu, const std::vector<EventGroup>& groups, std::optional<int> counters);

}  // namespace tacho
