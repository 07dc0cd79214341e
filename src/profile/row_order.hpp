// Whether the order of the first rows of a profile is significant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profile/profile.hpp"
#include "profile/profile_row.hpp"

namespace tacho {

// Compares the first rows, which are sorted, with the next ones. `counted` is the index of the
// event in their counts. `row_of` is the row of each cell, in the order in which the rows were
// made; empty if rows are not of cells.
std::vector<Comparison> compare_neighbours(const Profile&, std::size_t event, std::size_t counted,
                                           std::span<const std::size_t> row_of,
                                           const std::vector<ProfileRow>& rows);

}  // namespace tacho
