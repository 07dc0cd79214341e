// What --pmu names: a kind of PMU, and a model where it is simulated.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "pmu/choose.hpp"

namespace tacho {

// Whether the word asks for a simulation: "simulated", "simulated:MODEL".
bool asks_for_simulation(std::string_view word);

// With the model read; without one it is "host". Kinds are not checked here.
Result<PmuChoice> pmu_choice(std::string_view word);

}  // namespace tacho
