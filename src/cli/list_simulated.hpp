// What `tacho list --pmu simulated[:MODEL]` shows.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "report/listing.hpp"

namespace tacho {

struct SimulatedListing {
  std::vector<ListedEvent> events;
  std::vector<ListedModel> models;
};

// What stands behind `simulated:`; empty for `simulated` alone, nothing for another kind of PMU.
std::optional<std::string_view> simulated_model(std::string_view kind);

// The events of a simulation whose names match: on the model, which comes with the sources of its
// figures, or on this machine's with all models explained (without their sources) when `model` is
// empty. Models are left out when there is a pattern.
Result<SimulatedListing> simulated_listing(std::string_view pattern, std::string_view model);

}  // namespace tacho
