#include "profile/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace tacho {
namespace {

using Identity = std::tuple<std::string, std::string, std::string, unsigned>;

Identity whole_identity(const ProfileRow& row) {
  return {row.module, row.signature, row.file, row.line};
}

// The parts that stay equal if a program or its folder is renamed. A row without a function has
// only its module.
Identity brief_identity(const ProfileRow& row) {
  if (row.signature.empty()) return whole_identity(row);
  return {"", row.signature, row.file.substr(row.file.rfind('/') + 1), row.line};
}

using Partners =
    std::vector<std::optional<std::size_t>>;  // for each row of `before`, the row of `after`

// Pairs rows that have no partner yet, if their identity is unique on both sides.
void pair_rows(const ProfileSummary& before, const ProfileSummary& after,
               Identity (*identity)(const ProfileRow&), Partners& partners,
               std::vector<bool>& taken) {
  std::map<Identity, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> alike;
  for (std::size_t i = 0; i < before.rows.size(); ++i)
    if (!partners[i]) alike[identity(before.rows[i])].first.push_back(i);
  for (std::size_t i = 0; i < after.rows.size(); ++i)
    if (!taken[i]) alike[identity(after.rows[i])].second.push_back(i);
  for (const auto& [key, rows] : alike) {
    if (rows.first.size() != 1 || rows.second.size() != 1) continue;
    partners[rows.first.front()] = rows.second.front();
    taken[rows.second.front()] = true;
  }
}

RowSide side_of(const ProfileSummary& summary, std::optional<std::size_t> row) {
  RowSide side;
  const ShareInterval& ci95 = row ? summary.rows[*row].ci95 : summary.absent95;
  side.share = {row ? summary.rows[*row].share : 0, ci95.low, ci95.high};
  const SampleCount count = row ? summary.rows[*row].counts[summary.event] : SampleCount();
  const SampledEvent& event = summary.events[summary.event];
  const double whole = static_cast<double>(event.count.sum) + event.unsampled.missed;
  side.samples = count.samples;
  side.count = {static_cast<double>(count.sum), whole * side.share.low, whole * side.share.high};
  return side;
}

std::vector<MetricChange> metric_changes(const ProfileRow& before, const ProfileRow& after) {
  std::vector<MetricChange> changes;
  const auto estimated = [](const RowMetric& metric) {
    return Estimated{*metric.value, *metric.value - metric.ci95, *metric.value + metric.ci95};
  };
  for (const RowMetric& was : before.metrics)
    for (const RowMetric& is : after.metrics)
      if (was.name == is.name && was.value && is.value)
        changes.push_back({was, is, difference95(estimated(was), estimated(is))});
  return changes;
}

}  // namespace

std::vector<RowChange> compare_profiles(const ProfileSummary& before, const ProfileSummary& after) {
  Partners partners(before.rows.size());
  std::vector<bool> taken(after.rows.size());
  pair_rows(before, after, whole_identity, partners, taken);
  pair_rows(before, after, brief_identity, partners, taken);
  std::vector<RowChange> changes;
  const auto add = [&](std::optional<std::size_t> was, std::optional<std::size_t> is) {
    RowChange change{was, is, side_of(before, was), side_of(after, is), {}, {}, {}};
    change.count_gained = difference95(change.before.count, change.after.count);
    change.share_gained = difference95(change.before.share, change.after.share);
    if (was && is) change.metrics = metric_changes(before.rows[*was], after.rows[*is]);
    changes.push_back(std::move(change));
  };
  for (std::size_t i = 0; i < partners.size(); ++i) add(i, partners[i]);
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!taken[i]) add({}, i);
  std::ranges::stable_sort(changes, std::ranges::greater(),
                           [](const RowChange& each) { return std::abs(each.count_gained.value); });
  return changes;
}

}  // namespace tacho
