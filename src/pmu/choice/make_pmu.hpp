// Makes the PMU that the user chose.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// Whether the kernel module is loaded that opens the registers of ARM cores.
bool registers_are_open();

// `catalogue` must outlive the PMU. The choice "auto" gives perf_event. It gives the registers of
// an ARM core instead if perf_event can't count cycles, the registers can, and the calling thread
// is bound to one CPU, because the registers keep the command on one CPU. It is an error, not a
// silent fallback, if the user chose hardware that can't be used, or a simulation without a
// simulator.
Result<std::unique_ptr<Pmu>> make_pmu(const PmuChoice& choice, const Catalogue& catalogue);

}  // namespace tacho
