// Ranks, for tests that outliers and the unit of the values must not change.
#pragma once

#include <span>
#include <vector>

namespace tacho {

// The rank of each value, 1 for the smallest, less the mean of all ranks. Equal values share the
// mean of their ranks.
std::vector<double> centred_ranks(std::span<const double> values);

}  // namespace tacho
