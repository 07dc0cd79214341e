// The name of the cores' PMU in sysfs.
#pragma once

#include <string>

namespace tacho {

// "cpu", "armv8_pmuv3_0", or "cpu (sapphire_rapids)" if the kernel gives the model. On a hybrid
// machine, the PMU of the performance cores. Empty if the kernel has no hardware PMU.
std::string core_pmu_name();

}  // namespace tacho
