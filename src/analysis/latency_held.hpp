// From what levels held when they were filled to their capacities.
#pragma once

#include <span>
#include <vector>

#include "analysis/latency.hpp"

namespace tacho {

// Gives the tiers that were filled the capacity that they held.
void set_capacities(std::vector<Tier>&, std::span<const HeldLines>);

}  // namespace tacho
