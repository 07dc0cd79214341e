// The core PMUs of this machine where its cores are unequal.
#pragma once

#include <span>
#include <vector>

#include "events/event.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho {

// Empty where all online CPUs have the same core PMU, or none. Read from sysfs once, because each
// event asks.
std::span<const CorePmu> unequal_cores();

// The events that count `event` here: events/core_parts.hpp.
std::vector<Event> parts_here(const Event& event);

// The event as this kernel takes it: a generic event that names one core PMU by type becomes the
// PMU's own event, if the kernel is too old to take the type (arm64 before Linux 6.6).
Event encoded_here(const Event& event);

}  // namespace tacho
