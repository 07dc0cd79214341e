// Resolves the event lists that a user gives to groups of events.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// The groups of lists like "a,{b,c}". An event that is given twice (by two sets, for example) is in
// the result once, but `{a,a}` has two. Two different events with one name are an error. On unequal
// cores, a generic event is one event for each core PMU (Pmu::parts_of), and a group is divided by
// PMU. `places` has the place (file:line) of each list, or an empty text. An error begins with the
// place of its list.
Result<std::vector<EventGroup>> resolve_groups(const Pmu& pmu,
                                               const std::vector<std::string>& lists,
                                               std::span<const std::string> places = {});

// Whether simulations have an event of this name, which modifiers may follow.
bool is_simulated_event(std::string_view spec);

}  // namespace tacho
