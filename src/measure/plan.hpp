// measure: plans event sets, turns them in periods, and yields a Measurement.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pmu/pmu.hpp"

namespace tacho {

// Which events count together and when. Events are named by their place in `events`.
struct Plan {
  std::vector<Event> events;                     // as asked, then the reference if it was not
  std::size_t asked = 0;                         // how many of them were asked for
  std::vector<std::optional<Error>> refused;     // an event: why it can't be counted
  std::vector<std::vector<std::size_t>> always;  // groups that count all the time
  std::vector<std::vector<std::size_t>> sets;    // sets that take turns; empty when all fit
  // The turned events once more, counted always, where the PMU can: their truth.
  std::vector<std::size_t> truth;
  std::optional<std::size_t> reference;  // counted always
  // Each set has a counter of its own for the reference, so that both run for exactly the same
  // time. Some PMUs can't: on ARMv7 cycles have one counter, which counts always already.
  bool reference_in_sets = true;
  std::optional<int> counters;  // beside the reference, where it came to be known
  std::vector<std::string> warnings;
};

// Finds out by opening, not by guessing, what counts here and what fits together. `counters`
// pretends that there are that many (1 or more), software events included.
Plan make_plan(Pmu& pmu, const std::vector<EventGroup>& groups, std::optional<int> counters);

}  // namespace tacho
