#include "pmu/choice/asked_groups.hpp"

#include <algorithm>
#include <ranges>

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
  asked.groups = TACHO_TRY(resolve_groups(pmu, all, places));
  return asked;
}

}  // namespace tacho
