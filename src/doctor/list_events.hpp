// The events that `tacho list` shows; each is tried.
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
  std::string remedy;               // if no event has such a name
};

// The events whose names contain the pattern; a pattern with * or ? has to match the whole name.
// `pmu` is a kind as --pmu takes it, such as "auto" or "simulated:skylake"; "software" leaves out
// the events of the core. An error if there is no PMU of that kind, or no such model.
Result<EventListing> list_events(const std::string& pattern, const std::string& pmu);

}  // namespace tacho
