#include "profile/total_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {

Result<void> sort_by_total(ProfileSummary& summary) {
  if (is_by_owner(summary.sort))
    return failure(fmt::format("rows by {} have no totals, by which --children sorts",
                               to_string(summary.sort)),
                   "leave out --children, or sort by function, module, line or instruction");
  if (!summary.has_chains)
    return failure("the recording has no call chains: no row has a total", "record with -g");
  std::ranges::stable_sort(summary.rows, std::ranges::greater(),
                           [](const ProfileRow& row) { return row.total.value_or(0); });
  summary.comparisons.clear();
  return {};
}

}  // namespace tacho
