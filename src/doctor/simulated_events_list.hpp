// The events and models that `tacho list --pmu simulated[:MODEL]` shows.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "doctor/event_listing.hpp"

namespace tacho {

struct SimulatedListing {
  std::vector<ListedEvent> events;
  std::vector<ListedModel> models;
};

// The events of a simulation whose names match the pattern. With a model: the events on it, and the
// model with the sources of its figures. If `model` is empty: the events on this machine's model,
// and all models without their sources. If there is a pattern, models are left out.
Result<SimulatedListing> simulated_listing(std::string_view pattern, std::string_view model);

}  // namespace tacho
