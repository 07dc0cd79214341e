// The names of the cores' PMUs in sysfs.
#pragma once

#include <string>
#include <vector>

namespace tacho {

// "cpu", "armv8_pmuv3_0", or "cpu (sapphire_rapids)" if the kernel gives the model; on a machine
// with unequal cores, "cpu_core (alderlake_hybrid), cpu_atom (alderlake_hybrid)". Empty if the
// kernel has no hardware PMU.
std::string core_pmu_name();

// x86: the files that let user space read the counters of each core PMU, where the kernel has them.
std::vector<std::string> rdpmc_switches();

}  // namespace tacho
