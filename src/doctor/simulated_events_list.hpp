// What `tacho list --pmu simulated[:MODEL]` shows.
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

// The events of a simulation whose names match: on the model, which comes with the sources of its
// figures, or on this machine's with all models explained (without their sources) when `model` is
// empty. Models are left out when there is a pattern.
Result<SimulatedListing> simulated_listing(std::string_view pattern, std::string_view model);

}  // namespace tacho
