#include "profile/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "stats/paired_changes.hpp"
#include "stats/repeats.hpp"

namespace tacho {
namespace {

using Recordings = std::span<const ProfileSummary>;
using Identity = std::tuple<std::string, std::string, std::string, unsigned>;

// A row in the recordings of one side. Rows of one identity in a recording are added up, such as
// two static functions of the same name.
struct SideRow {
  const ProfileRow* shown = nullptr;
  std::vector<SampleCount> counts;                    // by recording
  std::vector<std::vector<const ProfileRow*>> parts;  // by recording

  // The row in a recording; null if the recording has none or several.
  const ProfileRow* single(std::size_t recording) const {
    return parts[recording].size() == 1 ? parts[recording].front() : nullptr;
  }
};

const SampledEvent& chosen(const ProfileSummary& summary) {
  return summary.events[summary.event];
}

Identity whole_identity(const ProfileRow& row) {
  return {row.module, row.signature, row.file, row.line};
}

// The parts that stay equal if a program or its folder is renamed. A row without a function has
// only its module.
Identity brief_identity(const ProfileRow& row) {
  if (row.signature.empty()) return whole_identity(row);
  return {"", row.signature, row.file.substr(row.file.rfind('/') + 1), row.line};
}

std::vector<SideRow> rows_of(Recordings recordings) {
  std::vector<SideRow> rows;
  std::map<Identity, std::size_t> index;
  for (std::size_t i = 0; i < recordings.size(); ++i)
    for (const ProfileRow& row : recordings[i].rows) {
      const auto [at, fresh] = index.try_emplace(whole_identity(row), rows.size());
      if (fresh)
        rows.push_back({&row, std::vector<SampleCount>(recordings.size()),
                        std::vector<std::vector<const ProfileRow*>>(recordings.size())});
      SideRow& side = rows[at->second];
      side.parts[i].push_back(&row);
      side.counts[i] += row.counts[recordings[i].event];
    }
  return rows;
}

using RowPair = std::pair<const SideRow*, const SideRow*>;  // before, after; one may be null

// Moves the rows of both lists into pairs, if their identity is unique in each list.
void pair_rows(std::vector<const SideRow*>& before, std::vector<const SideRow*>& after,
               Identity (*identity)(const ProfileRow&), std::vector<RowPair>& pairs) {
  std::map<Identity, std::pair<std::vector<const SideRow*>, std::vector<const SideRow*>>> alike;
  for (const SideRow* row : before) alike[identity(*row->shown)].first.push_back(row);
  for (const SideRow* row : after) alike[identity(*row->shown)].second.push_back(row);
  const auto is_paired = [&](const SideRow* row) {
    const auto& [olds, news] = alike[identity(*row->shown)];
    return olds.size() == 1 && news.size() == 1;
  };
  for (const SideRow* row : before)
    if (is_paired(row)) pairs.emplace_back(row, alike[identity(*row->shown)].second.front());
  std::erase_if(before, is_paired);
  std::erase_if(after, is_paired);
}

std::vector<RowPair> matching_rows(const std::vector<SideRow>& before,
                                   const std::vector<SideRow>& after) {
  std::vector<const SideRow*> olds, news;
  for (const SideRow& row : before) olds.push_back(&row);
  for (const SideRow& row : after) news.push_back(&row);
  std::vector<RowPair> pairs;
  pair_rows(olds, news, whole_identity, pairs);
  pair_rows(olds, news, brief_identity, pairs);
  for (const SideRow* row : olds) pairs.emplace_back(row, nullptr);
  for (const SideRow* row : news) pairs.emplace_back(nullptr, row);
  return pairs;
}

// The mean number of events that a sample of a side stands for.
double mean_step(const SideFigures& side) {
  const double all = std::accumulate(side.counts.begin(), side.counts.end(), 0.0);
  return side.samples > 0 ? all / static_cast<double>(side.samples) : 0;
}

// If there is one recording, `alone` is the interval of the share; null: there is none.
SideFigures figures_of(Recordings recordings, std::span<const SampleCount> counts,
                       const ShareInterval* alone) {
  SideFigures side;
  std::vector<double> shares;
  double whole = 0;  // mean number of events in a recording
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const SampledEvent& event = chosen(recordings[i]);
    const auto all = static_cast<double>(event.occurred(event.count));
    side.samples += counts[i].samples;
    side.counts.push_back(static_cast<double>(event.occurred(counts[i])));
    shares.push_back(all > 0 ? side.counts.back() / all : 0);
    whole += all / static_cast<double>(recordings.size());
  }
  if (recordings.size() == 1) {
    side.count = without_interval(side.counts.front());
    side.share = without_interval(shares.front());
    if (alone == nullptr) return side;
    const SampledEvent& event = chosen(recordings.front());
    if (!event.counted) whole += event.unsampled.missed;
    side.count = {side.count.value, whole * alone->low, whole * alone->high};
    side.share = {side.share.value, alone->low, alone->high};
    return side;
  }
  const double step = mean_step(side);
  side.count = estimated(over_repeats(side.counts, step));
  side.share = estimated(over_repeats(shares, whole > 0 ? step / whole : 0));
  return side;
}

// The row's figures; those of a row without samples if it is null.
SideFigures figures_of(Recordings recordings, const SideRow* row) {
  if (row == nullptr)
    return figures_of(recordings, std::vector<SampleCount>(recordings.size()),
                      &recordings.front().absent95);
  const ProfileRow* single = row->single(0);
  return figures_of(recordings, row->counts, single != nullptr ? &single->ci95 : nullptr);
}

std::vector<SampleCount> totals(Recordings recordings) {
  std::vector<SampleCount> counts;
  for (const ProfileSummary& each : recordings) counts.push_back(chosen(each).count);
  return counts;
}

const RowMetric* metric_named(const ProfileRow& row, const std::string& name) {
  const auto found = std::ranges::find(row.metrics, name, &RowMetric::name);
  return found != row.metrics.end() && found->value ? &*found : nullptr;
}

// Mean over the recordings of one side; none if a recording has no value.
std::optional<RowMetric> mean_metric(const SideRow& row, const std::string& name) {
  RowMetric mean;  // its interval is at least that of a recording
  std::vector<double> values;
  for (std::size_t i = 0; i < row.parts.size(); ++i) {
    const ProfileRow* single = row.single(i);
    const RowMetric* metric = single != nullptr ? metric_named(*single, name) : nullptr;
    if (metric == nullptr) return {};
    mean = {metric->name, metric->unit, metric->value, std::max(mean.ci95, metric->ci95)};
    values.push_back(*metric->value);
  }
  if (values.size() == 1) return mean;
  const Repeats repeats = over_repeats(values);
  mean.value = repeats.mean;
  mean.ci95 = std::max(mean.ci95, *repeats.half_width);
  return mean;
}

std::vector<MetricChange> metric_changes(const SideRow& before, const SideRow& after) {
  std::vector<MetricChange> changes;
  for (const RowMetric& each : before.shown->metrics) {
    const auto was = mean_metric(before, each.name);
    const auto is = mean_metric(after, each.name);
    if (was && is) changes.push_back({*was, *is, *is->value - *was->value});
  }
  return changes;
}

RowChange row_change(Recordings before, Recordings after, const RowPair& pair) {
  const auto& [was, is] = pair;
  RowChange change{.row_before = was != nullptr ? was->shown : nullptr,
                   .row_after = is != nullptr ? is->shown : nullptr,
                   .before = figures_of(before, was),
                   .after = figures_of(after, is),
                   .count = {},
                   .share_gained = 0,
                   .metrics = {}};
  change.count.gained = without_interval(change.after.count.value - change.before.count.value);
  change.share_gained = change.after.share.value - change.before.share.value;
  if (was != nullptr && is != nullptr) change.metrics = metric_changes(*was, *is);
  return change;
}

std::vector<RecordingOrigin> origins_of(Recordings side) {
  std::vector<RecordingOrigin> origins;
  for (const ProfileSummary& each : side)
    origins.push_back(
        {each.host, each.kernel, each.cpu, each.architecture, each.first_ns, each.last_ns});
  return origins;
}

// True if all recordings have the same rows with the same counts, although not each event was a
// sample.
bool took_equal_samples(Recordings side) {
  const auto equal = [&](const ProfileSummary& other) {
    const ProfileSummary& first = side.front();
    return !other.exact &&
           std::ranges::equal(first.rows, other.rows,
                              [&](const ProfileRow& a, const ProfileRow& b) {
                                return whole_identity(a) == whole_identity(b) &&
                                       a.counts[first.event].sum == b.counts[other.event].sum;
                              });
  };
  return std::ranges::all_of(side, equal);
}

bool has_enough_samples(const RowChange& row) {
  const auto recordings = static_cast<double>(row.before.counts.size() + row.after.counts.size());
  return static_cast<double>(row.before.samples + row.after.samples) >=
         kFewestTestedSamples * recordings;
}

std::vector<double> differences(const SideFigures& before, const SideFigures& after) {
  std::vector<double> all;
  for (std::size_t i = 0; i < std::min(before.counts.size(), after.counts.size()); ++i)
    all.push_back(after.counts[i] - before.counts[i]);
  return all;
}

void set(Change& change, const PairedTest& result) {
  const SignedRank& found = result.change;
  change.gained = without_interval(found.estimate);
  change.too_few_pairs = !result.has_enough_pairs;
  if (change.too_few_pairs) return;
  change.gained = {found.estimate, found.low, found.high};
  change.test = result.test;
}

// Tests everything by itself, and the rows with enough samples together.
void test_changes(ProfileComparison& comparison) {
  const std::array all{differences(comparison.before, comparison.after)};
  set(comparison.count, test_pairs(all).front());
  std::vector<RowChange*> rows;
  std::vector<std::vector<double>> tested;
  for (RowChange& row : comparison.rows) {
    if (!has_enough_samples(row)) continue;
    rows.push_back(&row);
    tested.push_back(differences(row.before, row.after));
  }
  const std::vector<PairedTest> results = test_pairs(tested);
  for (std::size_t i = 0; i < rows.size(); ++i) set(rows[i]->count, results[i]);
  const auto was_tested = [](const RowChange& row) { return row.count.test.has_value(); };
  comparison.tests =
      1 + static_cast<std::size_t>(std::ranges::count_if(comparison.rows, was_tested));
}

}  // namespace

ProfileComparison compare_profiles(Recordings before, Recordings after) {
  constexpr ShareInterval kAll{1, 1};
  const auto is_damaged = [](Recordings side) {
    return std::ranges::any_of(side, &ProfileSummary::damaged);
  };
  const auto was_made = origins_of(before), is_made = origins_of(after);
  const RecordingOrder order = order_of(was_made, is_made);
  const SampleFaults faults{.damaged = is_damaged(before) || is_damaged(after),
                            .equal = took_equal_samples(before) || took_equal_samples(after)};
  ProfileComparison comparison{.evidence = evidence_of(was_made, is_made, order, faults),
                               .order = order,
                               .before = figures_of(before, totals(before), &kAll),
                               .after = figures_of(after, totals(after), &kAll),
                               .count = {},
                               .rows = {},
                               .tests = 0};
  comparison.count.gained =
      without_interval(comparison.after.count.value - comparison.before.count.value);
  const std::vector<SideRow> olds = rows_of(before);
  const std::vector<SideRow> news = rows_of(after);
  for (const RowPair& pair : matching_rows(olds, news))
    comparison.rows.push_back(row_change(before, after, pair));
  std::ranges::stable_sort(comparison.rows, std::ranges::greater(),
                           [](const RowChange& each) { return std::abs(each.count.gained.value); });
  if (comparison.evidence == Evidence::pairs) test_changes(comparison);
  return comparison;
}

}  // namespace tacho
