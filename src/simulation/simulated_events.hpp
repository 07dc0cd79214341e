// The events of a simulation, with the names that perf and the processors' manuals use.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

struct SimulatedEvent {
  std::string_view name;
  std::string_view alias;  // another name for it, or empty
  std::string_view description;
  std::vector<std::string_view> columns;  // of the records; the event's count is their sum
  bool nanoseconds = false;               // the columns are cycles, and the event is their time
  std::string reason;                     // why this model can't count it; empty: it can
};

// Every event in the order of a listing, with the reason if this model can't count it.
std::vector<SimulatedEvent> simulated_events(const CpuModel& model);

// The index of an event in `events`, which is simulated_events(model). `spec` is the event's name
// or alias, and can have modifiers. `:u` changes nothing, because a simulation counts user mode
// only. Kernel mode, events that the model does not have and unknown names are errors.
Result<std::size_t> find_simulated_event(std::string_view spec,
                                         std::span<const SimulatedEvent> events);

}  // namespace tacho
