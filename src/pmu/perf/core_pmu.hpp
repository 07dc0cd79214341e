// The cores' PMUs in sysfs, and their names in reports.
#pragma once

#include <set>
#include <span>
#include <string>

#include "events/sysfs_pmu.hpp"

namespace tacho {

// SysfsPmus::cores() of this machine, read once.
std::span<const CorePmu> core_pmus();

// "cpu", "armv8_pmuv3_0", or "cpu (sapphire_rapids)" if the kernel gives the model; on a machine
// with unequal cores, "cpu_core (alderlake_hybrid), cpu_atom (alderlake_hybrid)". Empty if the
// kernel has no hardware PMU.
std::string core_pmu_name();

// The same for some of the core PMUs only.
std::string core_pmu_name(const std::set<std::string>& pmus);

}  // namespace tacho
