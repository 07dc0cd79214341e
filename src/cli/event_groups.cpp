#include "cli/event_groups.hpp"

#include <algorithm>

#include "events/catalogue.hpp"

namespace tacho {

Result<std::vector<EventGroup>> resolve_groups(const Pmu& pmu,
                                               const std::vector<std::string>& lists) {
  std::vector<EventGroup> groups;
  std::vector<std::string> seen;
  for (const std::string& list : lists) {
    auto split = split_events(list);
    if (!split) return std::unexpected(split.error());
    for (const std::vector<std::string>& specs : *split) {
      EventGroup group;
      for (const std::string& spec : specs) {
        auto event = pmu.resolve(spec);
        if (!event) return std::unexpected(event.error());
        if (std::ranges::find(seen, event->name) != seen.end()) continue;
        seen.push_back(event->name);
        group.push_back(std::move(*event));
      }
      if (!group.empty()) groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace tacho
