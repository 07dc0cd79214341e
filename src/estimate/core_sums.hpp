// Sums over unequal cores: `cycles` is the sum of what each kind of core counted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "estimate/event_estimates.hpp"
#include "estimate/summary.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// An event as the user asked for it: one event, or the parts of a sum. The numbers are indices into
// Estimates::events.
struct AskedEvent {
  std::string name;
  std::vector<std::size_t> parts;
  bool is_sum = false;
};

// In the order of the first part of each.
std::vector<AskedEvent> asked_events(const Estimates&);

// The sum of the parts, with the interval of the sum. It is absent if one of the parts could not be
// counted, and says which. Parts that belong to other CPUs are left out.
EventSummary sum_over_cores(const AskedEvent&, const Estimates&, const Measurement&);

// The summaries of all events; each sum comes before its parts.
std::vector<EventSummary> summaries_with_sums(const Estimates&, const Measurement&);

}  // namespace tacho
