#include "profile/total_order.hpp"

#include <algorithm>

namespace tacho {

Result<void> sort_by_total(ProfileSummary& summary) {
  if (!summary.has_chains)
    return failure("the recording has no call chains: no row has a total", "record with -g");
  std::ranges::stable_sort(summary.rows, std::ranges::greater(),
                           [](const ProfileRow& row) { return row.total.value_or(0); });
  summary.comparisons.clear();
  return {};
}

}  // namespace tacho
