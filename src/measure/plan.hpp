// measure: plans event sets, turns them in periods, and yields a Measurement.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pmu/pmu.hpp"

namespace tacho {

// Which events count together, and when. An event is given by its index in `events`.
struct Plan {
  std::vector<Event> events;  // as requested, then the reference if it was not requested
  std::size_t asked = 0;      // the number of requested events
  std::vector<std::optional<Error>> refused;     // by event: why it cannot be counted
  std::vector<std::vector<std::size_t>> always;  // groups that count all the time
  std::vector<std::vector<std::size_t>> sets;    // sets that take turns; empty if all events fit
  // The turned events again, counted all the time (only a simulation can): their truth.
  std::vector<std::size_t> truth;
  std::optional<std::size_t> reference;  // counted all the time
  // Each set has its own counter for the reference, so both run for exactly the same time. Some
  // PMUs cannot do this: ARMv7 has one counter for cycles, which already counts all the time.
  bool reference_in_sets = true;
  std::optional<int> counters;  // beside the reference, if known
  std::vector<std::string> warnings;
};

// Opens the events to find which ones count here and which ones fit together. If `counters` is
// given, plans for this number of counters (1 or more); software events then need counters too.
Plan make_plan(Pmu& pmu, const std::vector<EventGroup>& groups, std::optional<int> counters);

}  // namespace tacho
