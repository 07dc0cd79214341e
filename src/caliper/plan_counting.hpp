// Makes a CountingPlan of the names of events.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caliper/counting_plan.hpp"

namespace tacho::caliper {

// `counters` is for tests: the plan is made as if the PMU had that many, for software events, too.
CountingPlan plan_counting(const std::vector<std::string>& names, CountScope scope,
                           std::optional<int> counters = std::nullopt);

// The event names in a list that is separated by commas.
std::vector<std::string> names_in(std::string_view list);

}  // namespace tacho::caliper
