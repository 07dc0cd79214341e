// perf's events as numbers of an ARM core's events.
#pragma once

#include "events/event.hpp"
#include "pmu/registers/bank.hpp"

namespace tacho::arm {

// Of cores since ARMv7. Errors: an event whose number only perf's driver knows, or one with
// modifiers other than u and k.
Result<Wanted> wanted_of(const Event& event);

}  // namespace tacho::arm
