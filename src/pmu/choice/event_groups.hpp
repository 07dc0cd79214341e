// The events that a user names, in their groups.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// Of lists such as "a,{b,c}". An event asked for twice (by two sets, say) is there once. An error
// begins with the place that its list is from (file:line), where there is one that is not empty.
Result<std::vector<EventGroup>> resolve_groups(const Pmu& pmu,
                                               const std::vector<std::string>& lists,
                                               std::span<const std::string> places = {});

}  // namespace tacho
