#include "profile/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "base/hash_seed.hpp"
#include "locate/numbered_values.hpp"
#include "profile/chain_warnings.hpp"
#include "profile/inclusive_counts.hpp"
#include "profile/lost_records.hpp"
#include "profile/nameless_code.hpp"
#include "profile/row_order.hpp"
#include "profile/stripped_files.hpp"
#include "stats/share.hpp"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 8> kSortNames{"module", "function", "line", "instruction",
                                                     "comm",   "pid",      "tid",  "cpu"};

// Least share of the event that no sample can show before a warning says so.
constexpr double kWorthAWarning = 0.01;

// Least part of the events that have certainly occurred, of those that samples stand for, before a
// warning says so.
constexpr double kKnown = 0.8;

// Least share by which incomplete chains can change a total before the total is marked. Its
// interval allows for smaller ones, too.
constexpr double kWorthAMark = 0.01;

// Most rows without samples of their own: functions and instructions that only called others. Those
// with the largest totals are shown.
constexpr std::size_t kMostCallers = std::size_t{1} << 16;

// What identifies a row: the parts that matter for the order that was chosen.
struct RowKey {
  std::uint32_t module = 0;
  FunctionId function = 0;
  std::uint32_t file = 0;  // number of its name
  unsigned line = 0;
  std::uint64_t address = 0;
  bool operator==(const RowKey&) const = default;
};

struct RowHash {
  std::uint64_t operator()(const RowKey& key) const {
    return hashed(hashed(std::uint64_t{key.module} << 32 | key.function,
                         std::uint64_t{key.file} << 32 | key.line),
                  key.address);
  }
  std::uint64_t operator()(const std::string& text) const {
    return hashed(std::hash<std::string>()(text));
  }
};

class RowMaker {
 public:
  RowMaker(const Profile& profile, Resolver& resolver, SortBy sort, std::size_t events)
      : profile_(profile), resolver_(resolver), sort_(sort), events_(events) {}

  // The number of the row of each cell.
  std::vector<std::size_t> assign() {
    std::vector<std::size_t> row_of;
    row_of.reserve(profile_.cells().size());
    for (const CodePlace& place : profile_.cells()) row_of.push_back(keys_.number(key_of(place)));
    return row_of;
  }
  std::size_t rows() const { return keys_.values().size(); }

  // After assign(): brief names are known only then, because an overloaded function's name includes
  // its parameters.
  ProfileRow row(std::size_t number) const {
    const auto& [module, function, file, line, address] = keys_.values()[number];
    ProfileRow row;
    row.module = resolver_.module_name(module);
    row.path = profile_.modules()[module].path;
    row.counts.resize(events_);
    if (sort_ == SortBy::module) return row;
    row.function = resolver_.function(function).brief;
    row.signature = resolver_.function(function).name;
    if (sort_ == SortBy::function) return row;
    row.file = files_.values()[file];
    row.line = line;
    if (sort_ == SortBy::instruction) row.address = address;
    return row;
  }

 private:
  RowKey key_of(const CodePlace& place) {
    RowKey key{.module = place.module};
    if (sort_ == SortBy::module) return key;
    key.function = resolver_.function_of(place);
    if (sort_ == SortBy::function) return key;
    const symbols::Frame frame = resolver_.line_of(place);
    key.file = files_.number(frame.file);
    key.line = frame.line;
    if (sort_ == SortBy::instruction) key.address = resolver_.address_of(place);
    return key;
  }

  const Profile& profile_;
  Resolver& resolver_;
  SortBy sort_;
  std::size_t events_;
  NumberedValues<RowKey, RowHash> keys_;
  NumberedValues<std::string, RowHash> files_;
};

std::uint64_t samples_of(const Profile& profile, std::size_t event, ModuleKind kind) {
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < profile.cells().size(); ++i)
    if (profile.modules()[profile.cells()[i].module].kind == kind)
      samples += profile.count(event, i).samples;
  return samples;
}

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
    row.counts.resize(summary.events.size());
  }
}

// The counts of each row by event, from the cells that belong to it.
void add_counts(ProfileSummary& summary, const Profile& profile,
                std::span<const std::size_t> row_of) {
  for (std::size_t cell = 0; cell < row_of.size(); ++cell)
    for (std::size_t i = 0; i < profile.events() && row_of[cell] < summary.rows.size(); ++i)
      summary.rows[row_of[cell]].counts[i] += profile.count(i, cell);
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

// The rows that are shown: those with samples of their own, and the callers with the largest
// totals.
std::vector<bool> rows_shown(const Profile& profile, std::span<const std::size_t> row_of,
                             std::span<const InclusiveCount> inclusive, std::size_t rows) {
  if (rows <= kMostCallers || inclusive.empty()) return std::vector<bool>(rows, true);
  std::vector<bool> shown(rows);
  for (std::size_t cell = 0; cell < row_of.size(); ++cell)
    for (std::size_t i = 0; i < profile.events() && !shown[row_of[cell]]; ++i)
      shown[row_of[cell]] = profile.count(i, cell).samples > 0;
  std::vector<std::size_t> callers;
  for (std::size_t row = 0; row < rows; ++row)
    if (!shown[row]) callers.push_back(row);
  std::ranges::stable_sort(callers, std::ranges::greater(),
                           [&](std::size_t row) { return inclusive[row].seen.sum; });
  callers.resize(std::min(callers.size(), kMostCallers));
  for (const std::size_t row : callers) shown[row] = true;
  return shown;
}

// Adds the rows by place. Returns the row of each cell; the number of rows for a row that is left
// out. `inclusive` has the counts of the rows, if there are chains.
std::vector<std::size_t> add_place_rows(ProfileSummary& summary, const Profile& profile,
                                        Resolver& resolver,
                                        std::vector<InclusiveCount>& inclusive) {
  RowMaker maker(profile, resolver, summary.sort, summary.events.size());
  std::vector<std::size_t> row_of = maker.assign();
  if (summary.has_chains)
    inclusive = inclusive_counts(profile, row_of, maker.rows(), summary.event);
  const std::vector<bool> shown = rows_shown(profile, row_of, inclusive, maker.rows());
  const auto count = static_cast<std::size_t>(std::ranges::count(shown, true));
  summary.callers_left_out = maker.rows() - count;
  summary.rows.reserve(count);
  std::vector<std::size_t> number(maker.rows(), count);
  for (std::size_t row = 0; row < maker.rows(); ++row) {
    if (!shown[row]) continue;
    number[row] = summary.rows.size();
    if (!inclusive.empty()) inclusive[number[row]] = inclusive[row];
    summary.rows.push_back(maker.row(row));
  }
  for (std::size_t& row : row_of) row = number[row];
  add_counts(summary, profile, row_of);
  return row_of;
}

// The shares and metrics of each row, with their intervals.
void add_figures(ProfileSummary& summary, const Profile& profile,
                 std::span<const std::size_t> row_of, std::span<const InclusiveCount> inclusive,
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
      row.total = share_of(inclusive[i].seen);
      row.total_ci95 = total95(profile, event, inclusive[i], total_changes[i]);
      // A total is at least the share.
      row.total_ci95.low = std::max(row.total_ci95.low, row.ci95.low);
      row.total_is_at_least = share_of(inclusive[i].perhaps) >= kWorthAMark;
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

std::optional<std::uint64_t> most_lost(const Profile& profile,
                                       const perfdata::Description& recording) {
  // The recording says when it began and ended, whatever part of it is shown.
  const auto first = recording.first_sample_ns ? recording.first_sample_ns : profile.first_ns();
  const auto last = recording.last_sample_ns ? recording.last_sample_ns : profile.last_ns();
  if (!first || !last || *last < *first) return std::nullopt;
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < recording.events.size(); ++i) samples += profile.total(i).samples;
  return most_lost_samples(recording, profile.lost(), samples,
                           static_cast<double>(*last - *first) / 1e9);
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
  if (summary.lost > 0) summary.most_lost_samples = most_lost(profile, recording);
  summary.throttled = profile.throttled();
}

std::vector<std::string> recording_warnings(const Profile& profile,
                                            const perfdata::Description& recording,
                                            std::size_t event) {
  std::vector<std::string> warnings;
  const std::uint64_t all = profile.total(event).samples;
  if (const auto unmapped = samples_of(profile, event, ModuleKind::unknown); unmapped > 0)
    warnings.push_back(
        fmt::format("{} of {} samples fell where no mapping was recorded: they are "
                    "[unknown]",
                    unmapped, all));
  if (const auto hidden = samples_of(profile, event, ModuleKind::hidden_kernel); hidden > 0)
    warnings.push_back(fmt::format(
        "{} of {} samples fell at kernel addresses that the recording does not describe: they are "
        "[kernel]; if /proc/kallsyms hides addresses from the user, record as root",
        hidden, all));
  if (profile.without_address() > 0)
    warnings.push_back(
        fmt::format("{} samples have no address and are left out", profile.without_address()));
  if (const StackUnwinding& stacks = profile.stacks(); stacks.failed() > 0)
    warnings.push_back(fmt::format("the callers of {} samples are missing: {}", stacks.failed(),
                                   stacks.why().what));
  if (profile.deferred() > 0)
    warnings.push_back(
        fmt::format("the callers in user mode of {} samples are missing, because tacho does not "
                    "read deferred call chains (--call-graph fp,defer)",
                    profile.deferred()));
  if (profile.lost() > 0)
    warnings.push_back(lost_records_warning(profile.lost(), most_lost(profile, recording)));
  constexpr std::size_t kFew = 8;
  std::vector<std::string> parts;
  std::uint64_t threads = 0;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const Unsampled unsampled = profile.unsampled(i);
    const double part = unsampled.share(profile.total(i).sum);
    if (part < kWorthAWarning) continue;
    if (parts.size() == kFew) {
      parts.emplace_back("more");
      break;
    }
    parts.push_back(fmt::format("{:.0f} % of {}", 100 * part, recording.events[i].name));
    threads = std::max(threads, unsampled.threads);
  }
  if (!parts.empty())
    warnings.push_back(fmt::format(
        "up to {} could not be sampled: {} threads and processes began during the recording, and "
        "each is sampled only after its first period. Intervals of shares allow for it; record at "
        "a higher rate (-F, -c)",
        fmt::join(parts, ", "), threads));
  if (profile.throttled() > 0)
    warnings.push_back(
        fmt::format("the kernel stopped sampling {} times because it took too long: "
                    "busy stretches are under-represented; record at a lower rate",
                    profile.throttled()));
  return warnings;
}

// Events of which only the samples say how often they occurred, and those hardly do.
std::vector<std::string> count_warnings(const Profile& profile,
                                        const perfdata::Description& recording) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const std::uint64_t most = profile.total(i).sum;
    const std::uint64_t least = most - profile.not_ended(i);
    if (static_cast<double>(least) >= kKnown * static_cast<double>(most)) continue;
    warnings.push_back(
        fmt::format("how often {} occurred is not known: {} to {} times. The kernel adapted the "
                    "sampling period, so that single samples stand for many events and shares are "
                    "rough. Record with -c 1, or with 'tacho record', which counts the events, too",
                    recording.events[i].name, least, most));
  }
  return warnings;
}

}  // namespace

std::vector<std::string> profile_warnings(const Profile& profile,
                                          const perfdata::Description& recording,
                                          Resolver& resolver, std::size_t event) {
  std::vector<std::string> all = recording_warnings(profile, recording, event);
  const auto append = [&all](const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(count_warnings(profile, recording));
  append(chain_warnings(profile, recording, resolver, event));
  append(nameless_code_warnings(profile, resolver, event));
  append(stripped_file_warnings(profile, resolver, event));
  append(resolver.warnings());
  return all;
}

std::string_view to_string(SortBy sort) {
  return kSortNames[static_cast<std::size_t>(sort)];
}

ProfileSummary summarize(const Profile& profile, const perfdata::Description& recording,
                         Resolver& resolver, SortBy sort, std::size_t event,
                         std::span<const Metric> metrics) {
  ProfileSummary summary;
  summary.events = sampled_events(profile, recording);
  summary.event = event;
  summary.sort = sort;
  summary.exact = profile.is_exact(event);
  summary.has_chains = profile.has_chains() && !is_by_owner(sort);
  std::vector<std::size_t> row_of;
  std::vector<InclusiveCount> inclusive;
  if (is_by_owner(sort))
    add_owner_rows(summary, profile);
  else
    row_of = add_place_rows(summary, profile, resolver, inclusive);
  for (std::size_t i = 0; i < summary.rows.size(); ++i) summary.rows[i].made = i;
  add_figures(summary, profile, row_of, inclusive, metrics);
  // The functions that others were inlined into may have no sample of their own.
  if (profile.has_inlined())
    std::erase_if(summary.rows, [](const ProfileRow& row) {
      return row.total.value_or(0) <= 0 &&
             std::ranges::all_of(row.counts,
                                 [](const SampleCount& each) { return each.samples == 0; });
    });
  sort_rows(summary.rows);
  summary.comparisons = compare_neighbours(profile, event, row_of, summary.rows);
  summary.cut_chains = profile.cut(event).samples;
  summary.warnings = profile_warnings(profile, recording, resolver, event);
  if (summary.callers_left_out > 0)
    summary.warnings.push_back(
        fmt::format("{} rows without samples of their own are left out: those that are shown have "
                    "larger totals",
                    summary.callers_left_out));
  add_recording_facts(summary, profile, recording);
  return summary;
}

}  // namespace tacho
