// The events that `tacho list` shows, each tried.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "doctor/event_listing.hpp"

namespace tacho {

struct EventListing {
  std::vector<ListedEvent> events;
  std::vector<ListedModel> models;  // of a simulation
  std::string remedy;               // if the pattern is in no event's name
};

// The events whose names have the pattern in them, or match it where it has * or ?. `pmu` is a kind
// as --pmu takes it, such as "auto" or "simulated:skylake". Errors: no such kind of PMU or model
// here.
Result<EventListing> list_events(const std::string& pattern, const std::string& pmu);

}  // namespace tacho
