// The rows of a report that say where samples fell.
#pragma once

#include <cstddef>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/inclusive_counts.hpp"
#include "profile/profile.hpp"
#include "profile/profile_row.hpp"
#include "profile/sort_by.hpp"

namespace tacho {

struct PlaceRows {
  std::vector<ProfileRow> rows;        // with names, without counts
  std::vector<std::size_t> row_of;     // of each cell of the profile; rows.size(): of none
  std::vector<InclusiveCount> totals;  // of each row, if they were asked for
  std::size_t callers_left_out = 0;    // rows without samples of their own
};

// `event` is the event of the totals.
PlaceRows place_rows(const Profile&, Resolver&, SortBy, std::size_t event, bool with_totals);

}  // namespace tacho
