#include "pmu/choice/asked_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/shell_line.hpp"
#include "events/find_data.hpp"
#include "events/split_events.hpp"
#include "pmu/choice/event_groups.hpp"

namespace tacho {
namespace {

// The set that is counted if the user names no events.
std::string default_set(const PmuChoice& choice) {
  return choice.model && !choice.model->set.empty() ? choice.model->set : "default";
}

// Whether the machine has each event of an element, which was split before.
bool has_all(const Pmu& pmu, const std::string& element) {
  const auto groups = split_events(element);
  return std::ranges::all_of(groups.value() | std::views::join, [&](const std::string& spec) {
    return pmu.resolve(spec).has_value();
  });
}

// The error about a set for simulations, such as `why`, on another PMU; nothing for other sets.
std::optional<Error> without_simulation(const Pmu& pmu, const EventSet& set,
                                        const std::string& name) {
  if (pmu.capabilities().kind == PmuKind::simulated) return std::nullopt;
  for (const std::string& list : set.events) {
    const auto groups = split_events(list);
    if (!groups) return std::nullopt;
    for (const std::string& spec : *groups | std::views::join)
      if (!pmu.resolve(spec) && is_simulated_event(spec))
        return Error{.what = fmt::format("the set '{}' is not available on this PMU: only a "
                                         "simulation has the event '{}'",
                                         name, spec),
                     .remedy = fmt::format("give --pmu simulated -S {}", shell_line({&name, 1}))};
  }
  return std::nullopt;
}

}  // namespace

Result<AskedGroups> asked_groups(Pmu& pmu, const PmuChoice& choice,
                                 std::span<const std::string> lists,
                                 std::span<const std::string> sets) {
  std::vector<std::string> names(sets.begin(), sets.end());
  if (names.empty() && lists.empty()) names = {default_set(choice)};
  AskedGroups asked;
  for (const std::string& name : names) asked.sets.push_back(TACHO_TRY(find_set(name)));
  std::vector<std::string> all(lists.begin(), lists.end());
  std::vector<std::string> places(all.size());  // file:line of each list that is in a file
  for (const EventSet& set : asked.sets) {
    all.insert(all.end(), set.events.begin(), set.events.end());
    places.insert(places.end(), set.places.begin(), set.places.end());
    for (std::size_t i = 0; i < set.optional.size(); ++i)
      if (has_all(pmu, set.optional[i])) {
        all.push_back(set.optional[i]);
        places.push_back(set.optional_places[i]);
      }
    if (choice.kind != PmuKind::simulated) continue;
    all.insert(all.end(), set.simulated.begin(), set.simulated.end());
    places.insert(places.end(), set.simulated_places.begin(), set.simulated_places.end());
  }
  auto groups = resolve_groups(pmu, all, places);
  if (!groups) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (auto error = without_simulation(pmu, asked.sets[i], names[i]))
        return std::unexpected(*std::move(error));
    return std::unexpected(groups.error());
  }
  asked.groups = *std::move(groups);
  return asked;
}

}  // namespace tacho
