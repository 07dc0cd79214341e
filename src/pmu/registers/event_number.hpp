// Translates perf's events to the numbers of an ARM core's events.
#pragma once

#include "events/event.hpp"
#include "pmu/registers/bank.hpp"
#include "pmu/registers/core_id.hpp"

namespace tacho::arm {

// The event for the bank of an ARMv7 or AArch64 core. It is an error if only perf's driver knows
// the event's number, or if the event has modifiers other than u and k, or any on a core whose
// counters do not tell modes.
Result<Wanted> wanted_of(const Event& event, const CoreTraits& core = {});

}  // namespace tacho::arm
