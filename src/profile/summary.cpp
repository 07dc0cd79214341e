#include "profile/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

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

// Rows by command, process, thread or CPU. Returns the row of each owner.
std::vector<std::size_t> add_owner_rows(ProfileSummary& summary, const Profile& profile) {
  const auto kind = static_cast<OwnerKind>(static_cast<std::uint8_t>(summary.sort) -
                                           static_cast<std::uint8_t>(SortBy::command));
  OwnerRows owners;
  if (profile.owners() != nullptr) owners = profile.owners()->rows(kind, profile.names());
  for (OwnerRow& owner : owners.rows) {
    ProfileRow& row = summary.rows.emplace_back();
    row.command = std::move(owner.command);
    row.pid = owner.pid;
    row.tid = owner.tid;
    row.cpu = owner.cpu;
  }
  return std::move(owners.row_of);
}

// The counts of each row, from the places that belong to it.
void add_counts(ProfileSummary& summary, const SampleCounts& counts,
                std::span<const std::size_t> row_of) {
  for (ProfileRow& row : summary.rows) row.counts.resize(summary.events.size());
  std::unordered_map<std::size_t, std::size_t> index;  // by number in the profile
  for (const SampledEvent& each : summary.events) index.emplace(each.number, index.size());
  for (const std::uint32_t number : counts.by_place()) {
    const SampleCounts::Entry& each = counts.entries()[number];
    const auto event = index.find(each.event);
    if (event != index.end() && row_of[each.place] < summary.rows.size())
      summary.rows[row_of[each.place]].counts[event->second] += each.count;
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
  const std::size_t shown = summary.event;
  const std::size_t event = summary.events[shown].number;
  const SampleCount total = profile.total(event);
  const auto whole = static_cast<double>(total.sum);
  const auto share_of = [whole](const SampleCount& count) {
    return whole > 0 ? static_cast<double>(count.sum) / whole : 0;
  };
  summary.absent95 = profile.share95(event, {}, total);
  const RowMetrics row_metrics(metrics, summary.events, profile);
  std::vector<double> total_changes;
  if (summary.has_chains) total_changes = profile.total_changes(event, row_of, summary.rows.size());
  std::vector<std::vector<double>> changes;  // by event, then by row
  for (const SampledEvent& each : summary.events)
    changes.push_back(
        is_by_owner(summary.sort)
            ? std::vector<double>(summary.rows.size(), std::numeric_limits<double>::infinity())
            : profile.changes(each.number, row_of, summary.rows.size()));
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    ProfileRow& row = summary.rows[i];
    row.share = share_of(row.counts[shown]);
    row.ci95 = profile.share95(event, row.counts[shown], total, changes[shown][i]);
    row.changes = changes[shown][i];
    if (summary.has_chains) {
      row.total = share_of(totals[i].seen);
      row.total_ci95 = total95(profile, event, totals[i], total_changes[i]);
      // A total is at least the share.
      row.total_ci95.low = std::max(row.total_ci95.low, row.ci95.low);
      row.total_is_at_least = share_of(totals[i].perhaps) >= kWorthAMark;
    }
    for (std::size_t each = 0; each < summary.events.size(); ++each)
      row.counts95.push_back(
          profile.count95(summary.events[each].number, row.counts[each], changes[each][i]));
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
void add_overhead(ProfileSummary& summary, const Profile& profile,
                  const perfdata::Description& recording) {
  summary.sample_cost_ns = recording.sample_cost_ns;
  summary.cpu_time_ns = recording.cpu_time_ns;
  if (!summary.sample_cost_ns || summary.cpu_time_ns.value_or(0) == 0) return;
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < profile.events(); ++i)
    if (profile.sum(i) == nullptr) taken += profile.total(i).samples;
  summary.overhead = static_cast<double>(taken) * *summary.sample_cost_ns /
                     static_cast<double>(*summary.cpu_time_ns);
}

// The command, the machine, the time, and how much the samples cost.
void add_recording_facts(ProfileSummary& summary, const Profile& profile,
                         const perfdata::Description& recording) {
  summary.command = recording.command;
  summary.target =
      recorded_target(recording.command, [&](std::int32_t tid) { return profile.name_of(tid); });
  summary.host = recording.host;
  summary.kernel = recording.kernel;
  summary.cpu = recording.cpu;
  summary.architecture = recording.architecture;
  summary.recorded_by = recording.perf_version;
  if (profile.first_ns() && profile.last_ns()) {
    summary.first_ns = profile.first_ns();
    summary.last_ns = profile.last_ns();
    summary.seconds = static_cast<double>(*summary.last_ns - *summary.first_ns) / 1e9;
  }
  summary.pieces = recording.pieces;
  add_overhead(summary, profile, recording);
  summary.lost = profile.lost();
  if (summary.lost > 0) summary.most_lost_samples = most_lost_samples(profile, recording);
  summary.throttled = profile.throttled();
}

}  // namespace

ProfileSummary summarize(const Profile& profile, const perfdata::Description& recording,
                         Resolver& resolver, SortBy sort, std::size_t event,
                         std::span<const Metric> metrics) {
  ProfileSummary summary;
  summary.sort = sort;
  summary.exact = profile.is_exact(event);
  summary.has_chains = profile.has_chains() && !is_by_owner(sort);
  PlaceRows by_place;
  std::vector<std::size_t> row_of_owner;
  if (is_by_owner(sort)) {
    row_of_owner = add_owner_rows(summary, profile);
  } else {
    by_place = place_rows(profile, resolver, sort, event, summary.has_chains);
    summary.rows = std::move(by_place.rows);
    summary.callers_left_out = by_place.callers_left_out;
  }
  for (std::size_t i = 0; i < summary.rows.size(); ++i) summary.rows[i].made = i;
  ReportedEvents reported = reported_events(profile, recording, event, summary.rows.size());
  if (reported.left_out > 0) summary.limits.push_back(reported.warning());
  summary.events = std::move(reported.events);
  summary.event = reported.event;
  summary.has_waits = reported.of_waits > 0;
  if (!is_by_owner(sort))
    add_counts(summary, profile.counts(), by_place.row_of);
  else if (profile.owners() != nullptr)
    add_counts(summary, profile.owners()->counts(), row_of_owner);
  add_figures(summary, profile, by_place.row_of, by_place.totals, metrics);
  // The functions that others were inlined into may have no sample of their own, and those where
  // threads only waited none of a shown event.
  if (profile.has_inlined() || summary.has_waits)
    std::erase_if(summary.rows, [](const ProfileRow& row) {
      return row.total.value_or(0) <= 0 &&
             std::ranges::all_of(row.counts,
                                 [](const SampleCount& each) { return each.samples == 0; });
    });
  sort_rows(summary.rows);
  summary.comparisons =
      compare_neighbours(profile, event, summary.event, by_place.row_of, summary.rows);
  summary.cut_chains = profile.cut(event).samples;
  summary.warnings = profile_warnings(profile, recording, resolver, event);
  if (summary.callers_left_out > 0)
    summary.limits.push_back(
        fmt::format("{} without samples of their own left out: those that are shown have larger "
                    "totals",
                    plural(summary.callers_left_out, "row", {})));
  summary.warnings.insert(summary.warnings.end(), summary.limits.begin(), summary.limits.end());
  add_recording_facts(summary, profile, recording);
  return summary;
}

}  // namespace tacho
