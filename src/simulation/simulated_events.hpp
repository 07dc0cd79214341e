// The events of a simulation under the names that perf and the processors' manuals have for them.
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
  std::vector<std::string_view> columns;  // of the records; their counts add up to the event's
  bool nanoseconds = false;               // these counts are cycles, and the event is their time
  std::string reason;                     // why this model does not have it; empty: it counts
};

// Every event, in the order of a listing, and whether this model has it.
std::vector<SimulatedEvent> simulated_events(const CpuModel& model);

// The place of an event among these, which are simulated_events(model), by either name, with
// modifiers or without. `:u` changes nothing, as a simulation counts user mode; kernel mode, what
// the model does not have and unknown names are errors with reason and remedy.
Result<std::size_t> find_simulated_event(std::string_view spec,
                                         std::span<const SimulatedEvent> events);

}  // namespace tacho
