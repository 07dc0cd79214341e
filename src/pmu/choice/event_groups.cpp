#include "pmu/choice/event_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "events/core_parts.hpp"
#include "events/modifiers.hpp"
#include "events/split_events.hpp"
#include "simulation/simulated_events.hpp"

namespace tacho {
namespace {

// Adds a remedy if a simulation can count the event, which has the name that the bundled sets use.
Error with_simulation(Error error, const Pmu& pmu, std::string_view spec) {
  const std::string_view name = split_modifiers(spec).first;
  const auto named = [&](const SimulatedEvent& each) { return each.name == name; };
  if (pmu.capabilities().kind != PmuKind::simulated &&
      std::ranges::any_of(simulated_events(CpuModel()), named))
    error.remedy = fmt::format("--pmu simulated counts it; {}", error.remedy);
  return error;
}

}  // namespace

Result<std::vector<EventGroup>> resolve_groups(const Pmu& pmu,
                                               const std::vector<std::string>& lists,
                                               std::span<const std::string> places) {
  std::vector<EventGroup> groups;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto wrong = [&](Error error) {
      if (i < places.size() && !places[i].empty())
        error.what = fmt::format("{}: {}", places[i], error.what);
      return std::unexpected(std::move(error));
    };
    auto split = split_events(lists[i]);
    if (!split) return wrong(split.error());
    for (const std::vector<std::string>& specs : *split) {
      EventGroup group;
      for (const std::string& spec : specs) {
        auto event = pmu.resolve(spec);
        if (!event) return wrong(with_simulation(event.error(), pmu, spec));
        if (std::ranges::find(seen, event->name) != seen.end()) continue;
        seen.push_back(event->name);
        std::ranges::move(pmu.parts_of(*event), std::back_inserter(group));
      }
      std::ranges::move(by_core_pmu(group), std::back_inserter(groups));
    }
  }
  return groups;
}

}  // namespace tacho
