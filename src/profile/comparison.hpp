// The rows of two profiles beside each other: before and after something was changed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "profile/summary.hpp"
#include "stats/difference.hpp"

namespace tacho {

// What a row is in one of the recordings. Without a sample there it is 0, and how sure that is.
struct RowSide {
  std::uint64_t samples = 0;
  Estimated count;  // of the chosen event
  Estimated share;
};

// A metric that has a value in both.
struct MetricChange {
  RowMetric before, after;
  Estimated gained;
};

struct RowChange {
  std::optional<std::size_t> row_before, row_after;  // in each summary's rows; one of them is there
  RowSide before, after;
  Estimated count_gained, share_gained;
  std::vector<MetricChange> metrics;
};

// Rows are the same when module, function, file and line are; of those that are left over, when all
// but the module and the file's folder are, and there is one such row on either side. What gained
// or lost most events comes first. Intervals are of sampling alone: how many events there were in
// all, a recording tells.
std::vector<RowChange> compare_profiles(const ProfileSummary& before, const ProfileSummary& after);

}  // namespace tacho
