#include "profile/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/number.hpp"
#include "profile/inclusive_counts.hpp"
#include "profile/place_rows.hpp"
#include "profile/profile_warnings.hpp"
#include "profile/row_order.hpp"
#include "stats/share.hpp"

namespace tacho {
namespace {

// Least share by which incomplete chains can change a total before the total is marked. Its
// interval allows for smaller ones, too.
constexpr double kWorthAMark = 0.01;

// Rows by command, process, thread or CPU, with their counts.
void add_owner_rows(ProfileSummary& summary, const Profile& profile) {
  const auto kind = static_cast<OwnerKind>(static_cast<std::uint8_t>(summary.sort) -
                                           static_cast<std::uint8_t>(SortBy::command));
  for (OwnerRow& owner : profile.owner_rows(kind)) {
    ProfileRow& row = summary.rows.emplace_back();
    row.command = std::move(owner.command);
    row.pid = owner.pid;
    row.tid = owner.tid;
    row.cpu = owner.cpu;
    row.counts = std::move(owner.counts);
  }
}

// The interval of a total. The order of samples whose chains were cut says nothing about them.
ShareInterval total95(const Profile& profile, std::size_t event, const InclusiveCount& count,
                      double changes) {
  const SampleCount all = profile.total(event);
  ShareInterval interval = profile.share95(event, count.seen, all, changes);
  if (count.perhaps.samples == 0) return interval;
  SampleCount most = count.seen;
  most += count.perhaps;
  interval.high = profile.share95(event, most, all).high;
  return interval;
}

// The shares and metrics of each row, with their intervals.
void add_figures(ProfileSummary& summary, const Profile& profile,
                 std::span<const std::size_t> row_of, std::span<const InclusiveCount> totals,
                 std::span<const Metric> metrics) {
  const std::size_t event = summary.event;
  const SampleCount total = profile.total(event);
  const auto whole = static_cast<double>(total.sum);
  const auto share_of = [whole](const SampleCount& count) {
    return whole > 0 ? static_cast<double>(count.sum) / whole : 0;
  };
  summary.absent95 = profile.share95(event, {}, total);
  std::vector<std::string> names;
  for (const SampledEvent& each : summary.events) names.push_back(each.name);
  const RowMetrics row_metrics(metrics, names, profile);
  std::vector<double> total_changes;
  if (summary.has_chains) total_changes = profile.total_changes(event, row_of, summary.rows.size());
  std::vector<std::vector<double>> changes;  // by event, then by row
  for (std::size_t i = 0; i < summary.events.size(); ++i)
    changes.push_back(
        is_by_owner(summary.sort)
            ? std::vector<double>(summary.rows.size(), std::numeric_limits<double>::infinity())
            : profile.changes(i, row_of, summary.rows.size()));
  std::vector<double> of_row(summary.events.size());
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    ProfileRow& row = summary.rows[i];
    for (std::size_t each = 0; each < of_row.size(); ++each) of_row[each] = changes[each][i];
    row.share = share_of(row.counts[event]);
    row.ci95 = profile.share95(event, row.counts[event], total, of_row[event]);
    row.changes = of_row[event];
    if (summary.has_chains) {
      row.total = share_of(totals[i].seen);
      row.total_ci95 = total95(profile, event, totals[i], total_changes[i]);
      // A total is at least the share.
      row.total_ci95.low = std::max(row.total_ci95.low, row.ci95.low);
      row.total_is_at_least = share_of(totals[i].perhaps) >= kWorthAMark;
    }
    row.counts95 = profile.counts95(row.counts, of_row);
    row.metrics = row_metrics.of(row.counts);
  }
}

// Largest share first, then largest total. Names and addresses make the order definite.
void sort_rows(std::vector<ProfileRow>& rows) {
  std::ranges::sort(rows, [](const ProfileRow& a, const ProfileRow& b) {
    const auto order = [](const ProfileRow& row) {
      return std::tuple(-row.share, -row.total.value_or(0),
                        std::tie(row.path, row.signature, row.file), row.line, row.address,
                        std::tie(row.command, row.pid, row.tid, row.cpu));
    };
    return order(a) < order(b);
  });
}

// The samples of all events together take this share of the CPU time that the program used.
void add_overhead(ProfileSummary& summary, const perfdata::Description& recording) {
  summary.sample_cost_ns = recording.sample_cost_ns;
  summary.cpu_time_ns = recording.cpu_time_ns;
  if (!summary.sample_cost_ns || summary.cpu_time_ns.value_or(0) == 0) return;
  std::uint64_t taken = 0;
  for (const SampledEvent& each : summary.events)
    if (each.parts.empty()) taken += each.count.samples;
  summary.overhead = static_cast<double>(taken) * *summary.sample_cost_ns /
                     static_cast<double>(*summary.cpu_time_ns);
}

// The command, the machine, the time, and how much the samples cost.
void add_recording_facts(ProfileSummary& summary, const Profile& profile,
                         const perfdata::Description& recording) {
  summary.command = recording.command;
  summary.host = recording.host;
  summary.kernel = recording.kernel;
  summary.cpu = recording.cpu;
  summary.recorded_by = recording.perf_version;
  if (profile.first_ns() && profile.last_ns()) {
    summary.first_ns = profile.first_ns();
    summary.last_ns = profile.last_ns();
    summary.seconds = static_cast<double>(*summary.last_ns - *summary.first_ns) / 1e9;
  }
  summary.pieces = recording.pieces;
  add_overhead(summary, recording);
  summary.lost = profile.lost();
  if (summary.lost > 0) summary.most_lost_samples = most_lost_samples(profile, recording);
  summary.throttled = profile.throttled();
}

}  // namespace

ProfileSummary summarize(const Profile& profile, const perfdata::Description& recording,
                         Resolver& resolver, SortBy sort, std::size_t event,
                         std::span<const Metric> metrics) {
  ProfileSummary summary;
  summary.events = sampled_events(profile, recording);
  summary.event = event;
  summary.sort = sort;
  summary.exact = profile.is_exact(event);
  summary.has_chains = profile.has_chains() && !is_by_owner(sort);
  PlaceRows by_place;
  if (is_by_owner(sort)) {
    add_owner_rows(summary, profile);
  } else {
    by_place = place_rows(profile, resolver, sort, event, summary.has_chains);
    summary.rows = std::move(by_place.rows);
    summary.callers_left_out = by_place.callers_left_out;
  }
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    summary.rows[i].made = i;
    summary.rows[i].counts.resize(summary.events.size());  // the last events may have no samples
  }
  add_figures(summary, profile, by_place.row_of, by_place.totals, metrics);
  // The functions that others were inlined into may have no sample of their own.
  if (profile.has_inlined())
    std::erase_if(summary.rows, [](const ProfileRow& row) {
      return row.total.value_or(0) <= 0 &&
             std::ranges::all_of(row.counts,
                                 [](const SampleCount& each) { return each.samples == 0; });
    });
  sort_rows(summary.rows);
  summary.comparisons = compare_neighbours(profile, event, by_place.row_of, summary.rows);
  summary.cut_chains = profile.cut(event).samples;
  summary.warnings = profile_warnings(profile, recording, resolver, event);
  if (summary.callers_left_out > 0)
    summary.warnings.push_back(
        fmt::format("{} without samples of their own left out: those that are shown have larger "
                    "totals",
                    plural(summary.callers_left_out, "row", {})));
  add_recording_facts(summary, profile, recording);
  return summary;
}

}  // namespace tacho
