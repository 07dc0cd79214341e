// From what levels held when they were filled to their capacities.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "latency/inference/latency.hpp"

namespace tacho {

struct HeldCapacity {
  double bytes = 0;
  Interval interval;
  double hit_cycles = 0;
};

// One for each level that was filled three times or more.
std::vector<HeldCapacity> held_capacities(std::span<const HeldLines>);

// Which of levels that cost so many `cycles` each it was that was filled; none where it is none.
std::optional<std::size_t> level_filled(const HeldCapacity&, std::span<const double> cycles);

}  // namespace tacho
