// The names of the cores' PMUs in sysfs.
#pragma once

#include <string>

namespace tacho {

// "cpu", "armv8_pmuv3_0", or "cpu (sapphire_rapids)" if the kernel gives the model; on a machine
// with unequal cores, "cpu_core (alderlake_hybrid), cpu_atom (alderlake_hybrid)". Empty if the
// kernel has no hardware PMU.
std::string core_pmu_name();

}  // namespace tacho
