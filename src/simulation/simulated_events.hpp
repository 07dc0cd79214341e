// STAND-IN until branch model is merged.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tacho {

struct SimulatedEvent {
  std::string_view name;
  std::vector<std::string_view> columns;
  std::string_view description;
};

std::span<const SimulatedEvent> simulated_events();

}  // namespace tacho
