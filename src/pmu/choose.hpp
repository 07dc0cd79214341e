// The table of PMUs that a user can ask for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// "auto", "hardware", "software": what --pmu takes.
std::vector<std::string> pmu_kinds();

// `catalogue` must outlive the PMU. Asking for hardware where none can be used is an error, never a
// silent fallback.
Result<std::unique_ptr<Pmu>> choose_pmu(std::string_view kind, const Catalogue& catalogue);

}  // namespace tacho
