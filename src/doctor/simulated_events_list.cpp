#include "doctor/simulated_events_list.hpp"

#include <fmt/format.h>

#include "events/spelling.hpp"
#include "simulation/find_model.hpp"
#include "simulation/simulated_events.hpp"

namespace tacho {
namespace {

// A file with an error is listed with the error, because the other models can be used.
std::vector<ListedModel> all_models() {
  std::vector<ListedModel> models;
  for (const std::string& name : model_names()) {
    const auto model = find_model(name);
    models.push_back({.name = name,
                      .description = model ? model->description : model.error().what,
                      .sources = {}});
  }
  return models;
}

ListedEvent listed(const SimulatedEvent& event) {
  std::string description(event.description);
  if (!event.alias.empty()) description += fmt::format("; also {}", event.alias);
  return {.name = std::string(event.name),
          .source = "simulated",
          .description = std::move(description),
          .opens = event.reason.empty(),
          .reason = event.reason};
}

}  // namespace

Result<SimulatedListing> simulated_listing(std::string_view pattern, std::string_view model) {
  const auto found = find_model(model.empty() ? "host" : model);
  if (!found) return std::unexpected(found.error());
  SimulatedListing listing;
  for (const SimulatedEvent& event : simulated_events(*found))
    if (matches(event.name, pattern) || (!event.alias.empty() && matches(event.alias, pattern)))
      listing.events.push_back(listed(event));
  if (!pattern.empty()) return listing;
  if (model.empty())
    listing.models = all_models();
  else
    listing.models.push_back({found->name, found->description, found->sources});
  return listing;
}

}  // namespace tacho
