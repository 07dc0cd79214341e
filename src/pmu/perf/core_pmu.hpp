// Which PMU the processor's cores have, as sysfs tells.
#pragma once

#include <string>

namespace tacho {

// "cpu", "armv8_pmuv3_0", or "cpu (sapphire_rapids)" where the kernel tells the model; the
// performance cores' on a hybrid machine. Empty when the kernel shows no hardware PMU.
std::string core_pmu_name();

}  // namespace tacho
