// The events that a user names, in their groups.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// Of lists such as "a,{b,c}". An event asked for twice (by two sets, say) is there once.
Result<std::vector<EventGroup>> resolve_groups(const Pmu& pmu,
                                               const std::vector<std::string>& lists);

}  // namespace tacho
