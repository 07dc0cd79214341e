// What --pmu names: a kind of PMU, and a model where it is simulated.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "pmu/choice/choose.hpp"

namespace tacho {

// What stands behind `simulated:`; empty for `simulated` alone, nothing for another kind of PMU.
std::optional<std::string_view> simulated_model(std::string_view word);

// With the model read; without one it is "host". Other kinds are not checked here.
Result<PmuChoice> pmu_choice(std::string_view word);

}  // namespace tacho
