// Resolves the events and the event sets that a user asks for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "events/event_set.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

struct AskedGroups {
  std::vector<EventGroup> groups;
  std::vector<EventSet> sets;  // those of the groups; the default one if the user names nothing
};

// The events of the lists (-e), then those of the sets (-S). Errors: an unknown set or event.
Result<AskedGroups> asked_groups(Pmu& pmu, const PmuChoice& choice,
                                 std::span<const std::string> lists,
                                 std::span<const std::string> sets);

}  // namespace tacho
