// Unequal cores (Intel hybrid, big.LITTLE, DynamIQ): each kind of core has a PMU of its own. A
// generic event such as `cycles` is then one event for each PMU, as in perf.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "events/event.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho {

// Whether one of the PMU's CPUs is online ("0-7"). ARM's PMUs list their offline CPUs, too.
bool has_online_cpu(const CorePmu& core, std::string_view online);

// Whether some of the online CPUs ("0-7") have another core PMU than others, or none.
bool are_unequal(std::span<const CorePmu> cores, std::string_view online);

// How the kernel is asked for the generic event of one core PMU.
enum class GenericBy {
  pmu_type,  // by the PMU's type in the upper half of config: x86, and arm64 since Linux 6.6
  own_name,  // by the PMU's own event in sysfs, such as cpu_cycles; if it has none: by pmu_type
};

// The event on one core PMU: `cycles:u` becomes `cpu_core/cycles/u`. `event` is generic or raw.
Event on_core(const Event& event, const CorePmu& core, GenericBy by, const SysfsPmus& pmus);

// The events that count `event` on unequal cores. A generic or raw event (`r01c2`) that names no
// PMU has a part for each core PMU, with `part_of` set. Every other event is alone in the result.
// If there is one core PMU, the event belongs to its CPUs and keeps its name.
std::vector<Event> parts_of(const Event& event, std::span<const CorePmu> cores, GenericBy by,
                            const SysfsPmus& pmus);

// Divides a group by core PMU, because only events of one PMU can count at the same time. Events
// without one are a group, too: beside a core PMU's they would count on its cores only.
std::vector<EventGroup> by_core_pmu(const EventGroup& group);

}  // namespace tacho
