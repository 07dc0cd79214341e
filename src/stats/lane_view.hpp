// A Measurement on unequal cores, seen from one kind of core.
#pragma once

#include <cstddef>

#include "stats/measurement.hpp"

namespace tacho {

// The sets of one lane, as a Measurement with equal cores: its periods alone, its sets numbered
// from 0, its reference. Estimates of the lane's events start from it, so that no other PMU's
// cycles scale them. `first_set` is the number that the lane's first set has in `m`.
struct LaneView {
  Measurement measurement;
  std::size_t first_set = 0;
};
LaneView view_of_lane(const Measurement& m, std::size_t lane);

}  // namespace tacho
