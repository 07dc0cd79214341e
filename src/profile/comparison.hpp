// Compares the rows of two profiles: before and after a change of the program.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "profile/summary.hpp"
#include "stats/difference.hpp"

namespace tacho {

// A row in one of the recordings. If it has no sample there, it is 0 with an interval.
struct RowSide {
  std::uint64_t samples = 0;
  Estimated count;  // of the chosen event
  Estimated share;
};

// A metric that has a value in both recordings.
struct MetricChange {
  RowMetric before, after;
  Estimated gained;
};

struct RowChange {
  std::optional<std::size_t> row_before,
      row_after;  // indices of each summary's rows; at least one is given
  RowSide before, after;
  Estimated count_gained, share_gained;
  std::vector<MetricChange> metrics;
};

// Two rows are the same if module, function, file and line are equal. Rows without a partner are
// then compared without module and folder, and paired if there is one such row on each side. The
// rows that gained or lost most events come first. Intervals are about sampling alone: the number
// of all events in a recording is taken as exact.
std::vector<RowChange> compare_profiles(const ProfileSummary& before, const ProfileSummary& after);

}  // namespace tacho
