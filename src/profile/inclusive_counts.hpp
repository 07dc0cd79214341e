// How many samples have a row anywhere in their call chains.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profile/profile.hpp"

namespace tacho {

// The samples that have a row in their chains, and those that may have it: their chains are not
// complete.
struct InclusiveCount {
  SampleCount seen, perhaps;
};

// For each row. A sample counts once. `row_of` is the row of each cell.
std::vector<InclusiveCount> inclusive_counts(const Profile&, std::span<const std::size_t> row_of,
                                             std::size_t rows, std::size_t event);

}  // namespace tacho
