// Plans the counting of a program's own events on unequal cores, where each kind of core has a PMU
// of its own (Intel hybrid, big.LITTLE). An event that names no PMU has a part on each, and its
// count is their sum. An event that names a PMU counts on that PMU's cores alone.
#pragma once

#include "caliper/counting_plan.hpp"
#include "pmu/pmu.hpp"

namespace tacho::caliper {

// Plans the requested events: `always`, `of_cores`, `parts`. Tries the events of each PMU on its
// own cores, if the calling thread may run there.
void plan_on_unequal_cores(CountingPlan& counting, Pmu& pmu, std::size_t core_pmus);

// Refuses the requested events that have a refused part: the rest would look like the whole.
void refuse_incomplete(const CountingPlan& counting, std::vector<std::optional<Error>>& refused);

// "cpu_core and cpu_atom": the PMUs of `of_cores`.
std::string names_of_cores(const CountingPlan& counting);

}  // namespace tacho::caliper
