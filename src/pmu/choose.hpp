// The table of PMUs that a user can ask for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "pmu/pmu.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

struct PmuChoice {
  std::string kind;               // one of pmu_kinds()
  std::optional<CpuModel> model;  // what to simulate
};

// "auto", "hardware", "software", "simulated": what --pmu takes.
std::vector<std::string> pmu_kinds();

// The kind that works from a model of a processor, rather than from one.
inline constexpr std::string_view kSimulatedKind = "simulated";

// `catalogue` must outlive the PMU. Asking for hardware where none can be used, or for a simulation
// where the simulator is missing, is an error, never a silent fallback.
Result<std::unique_ptr<Pmu>> choose_pmu(const PmuChoice& choice, const Catalogue& catalogue);

}  // namespace tacho
