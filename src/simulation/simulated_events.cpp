#include "simulation/simulated_events.hpp"

namespace tacho {

std::span<const SimulatedEvent> simulated_events() {
  static const std::vector<SimulatedEvent> kEvents = {
      {"cycles", {"cycles"}, ""},
      {"instructions", {"instructions"}, ""},
      {"branches", {"branches"}, ""},
      {"branch-misses", {"branch-misses"}, ""},
      {"L1-dcache-loads", {"loads"}, ""},
      {"L1-dcache-load-misses", {"l1d-load-misses"}, ""},
      {"cache-misses", {"l3-fetch-misses", "l3-load-misses", "l3-store-misses"}, ""},
  };
  return kEvents;
}

}  // namespace tacho
