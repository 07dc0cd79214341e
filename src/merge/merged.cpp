#include "merge/merged.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/absence.hpp"
#include "stats/normal.hpp"
#include "stats/outliers.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

// A figure of each file that has it, with its standard uncertainty.
struct Values {
  std::vector<OfFile> of_files;
  std::vector<double> sigmas;

  void add(double value, std::size_t file, double sigma) {
    of_files.push_back({value, file});
    sigmas.push_back(sigma);
  }
};

// Of a whole number, such as a count (GUM, JCGM 100:2008, F.2.2.1).
const double kSigmaOfStep = 1 / std::sqrt(12.0);

Spread spread_of(const Values& values) {
  Spread spread;
  spread.files = values.of_files.size();
  std::vector<double> numbers;
  for (const OfFile& each : values.of_files) numbers.push_back(each.value);
  double sum = 0;
  for (const double number : numbers) sum += number;
  spread.mean = sum / static_cast<double>(numbers.size());
  const auto [least, most] = std::ranges::minmax_element(values.of_files, {}, &OfFile::value);
  spread.minimum = *least;
  spread.maximum = *most;
  if (numbers.size() >= kFewestForOutliers) {
    spread.outliers.emplace();
    for (const std::size_t i : outliers(numbers, values.sigmas))
      spread.outliers->push_back(values.of_files[i]);
  }
  spread.median = median(numbers);  // sorts them
  return spread;
}

// At most three names, so that a warning about a thousand files can be read.
std::string in_words(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, {}, {} and {} more", names[0], names[1], names[2], names.size() - kMost);
}

template <class Item>
const Item* find_in(const std::vector<Item>& items, std::string_view name) {
  const auto found = std::ranges::find(items, name, &Item::name);
  return found == items.end() ? nullptr : &*found;
}

// The names of the files' items, each once, in the order in which they first come.
template <class Item>
std::vector<std::string> names_of(const std::vector<StatFile>& files,
                                  std::vector<Item> Summary::* items) {
  std::vector<std::string> names;
  std::map<std::string, bool> seen;
  for (const StatFile& file : files)
    for (const Item& item : file.summary.*items)
      if (seen.try_emplace(item.name, true).second) names.push_back(item.name);
  return names;
}

MergedEvent merge_event(const std::string& name, Merged& merged) {
  MergedEvent event;
  Values values;
  HalfWidths half_widths;
  bool has_interval = true;
  std::vector<std::string> without;
  const EventSummary* first = nullptr;
  double sum = 0, count = 0;
  Status status = Status::simulated;
  for (std::size_t i = 0; i < merged.files.size(); ++i) {
    const EventSummary* its = find_in(merged.files[i].summary.events, name);
    if (first == nullptr && its != nullptr) first = its;
    if (its == nullptr || !its->estimate) {
      without.push_back(merged.files[i].path);
      continue;
    }
    if (values.of_files.empty()) first = its;
    sum += *its->estimate;
    count += its->count.value_or(0);
    if (its->status == Status::estimated || status == Status::simulated) status = its->status;
    has_interval = has_interval && its->ci95;
    half_widths.add(its->ci95.value_or(0), its->shared95);
    values.add(*its->estimate, i, std::hypot(its->ci95.value_or(0) / kTwoSided95, kSigmaOfStep));
  }
  if (first != nullptr) event.sum = *first;
  if (values.of_files.empty()) return event;
  event.sum.status = status;
  event.sum.estimate = sum;
  event.sum.count = count;
  event.sum.ci95 = has_interval ? std::optional(half_widths.sum()) : std::nullopt;
  event.sum.shared95 = half_widths.shared();
  event.sum.reason = has_interval ? "" : "a file has no interval";
  event.spread = spread_of(values);
  if (!without.empty())
    merged.warnings.push_back(
        fmt::format("{} is missing in {} of {} files ({}): its sum is that of the others", name,
                    without.size(), merged.files.size(), in_words(without)));
  return event;
}

MergedMetric merge_metric(const std::string& name, const Merged& merged,
                          std::span<const Metric> known) {
  MergedMetric metric;
  Values values;
  for (std::size_t i = 0; i < merged.files.size(); ++i) {
    const MetricSummary* its = find_in(merged.files[i].summary.metrics, name);
    if (its == nullptr || !its->value) continue;
    if (values.of_files.empty()) metric.ratio = *its;
    values.add(*its->value, i, its->ci95.value_or(0) / kTwoSided95);
  }
  if (values.of_files.empty()) return metric;
  metric.spread = spread_of(values);
  if (auto ratio = ratio_of_sums(name, merged.files, known)) {
    metric.ratio = std::move(*ratio);
    return metric;
  }
  metric.ratio.value = metric.ratio.ci95 = std::nullopt;
  metric.ratio.reason = "the files do not say enough to compute it for all of them";
  return metric;
}

void merge_run(Merged& merged) {
  for (const std::string name :
       {"elapsed_s", "simulated_s", "user_s", "system_s", "max_rss_bytes"}) {
    Values values;
    double sum = 0;
    for (std::size_t i = 0; i < merged.files.size(); ++i)
      if (const RunFigure* its = find_in(merged.files[i].run, name)) {
        values.add(its->value, i, 0);
        sum += its->value;
      }
    if (values.of_files.empty()) continue;
    const bool adds_up = name == "user_s" || name == "system_s";
    merged.run.push_back({name, adds_up ? std::optional(sum) : std::nullopt, spread_of(values)});
  }
}

void warn_of_failures(Merged& merged) {
  std::vector<std::string> failed;
  for (const StatFile& file : merged.files) {
    if (file.signal) failed.push_back(fmt::format("{}: signal {}", file.path, *file.signal));
    if (file.exit_code.value_or(0) != 0)
      failed.push_back(fmt::format("{}: status {}", file.path, *file.exit_code));
  }
  if (!failed.empty())
    merged.warnings.push_back(fmt::format("{} of {} commands failed ({})", failed.size(),
                                          merged.files.size(), in_words(failed)));
}

void warn_of_pmus(Merged& merged) {
  std::map<std::string, std::vector<std::string>> files;
  for (const StatFile& file : merged.files) files[file.pmu_name].push_back(file.path);
  if (files.size() < 2) return;
  std::vector<std::string> pmus;
  for (const auto& [name, paths] : files)
    pmus.push_back(fmt::format("{} in {}", name.empty() ? "none" : name, in_words(paths)));
  merged.warnings.push_back(fmt::format(
      "the files were counted by different PMUs, whose events of one name may differ: {}",
      fmt::join(pmus, "; ")));
}

void warn_of_warnings(Merged& merged) {
  std::vector<std::string> files;
  std::string first;
  for (const StatFile& file : merged.files) {
    if (file.summary.warnings.empty()) continue;
    files.push_back(file.path);
    if (first.empty()) first = file.summary.warnings.front();
  }
  if (!files.empty())
    merged.warnings.push_back(
        fmt::format("{} of {} files have warnings of their own ({}), such as: {}", files.size(),
                    merged.files.size(), in_words(files), first));
}

Result<void> check_alike(const std::vector<StatFile>& files) {
  const auto is_simulated = [](const StatFile& file) {
    return file.pmu_kind == PmuKind::simulated;
  };
  const auto other = std::ranges::find_if(files, [&](const StatFile& file) {
    return is_simulated(file) != is_simulated(files.front());
  });
  if (other != files.end())
    return failure(fmt::format("one of '{}' and '{}' was simulated, and the other was not: their "
                               "counts do not add up",
                               files.front().path, other->path),
                   "merge the simulated files alone");
  std::map<std::string, std::pair<std::string, std::string>> units;  // by event: unit and file
  for (const StatFile& file : files)
    for (const EventSummary& event : file.summary.events) {
      const auto [found, is_first] =
          units.try_emplace(event.name, std::pair(event.unit, file.path));
      if (found->second.first != event.unit && event.estimate)
        return failure(
            fmt::format("'{}' has the unit '{}' in '{}', and '{}' in '{}'", event.name,
                        found->second.first, found->second.second, event.unit, file.path),
            "merge the files of one kind of machine alone");
    }
  return {};
}

}  // namespace

void HalfWidths::add(double ci95, double shared95, double weight) {
  const double independent = std::max(0.0, ci95 * ci95 - shared95 * shared95);
  squares_ += weight * weight * independent;
  shared_ += std::abs(weight) * std::min(shared95, ci95);
}

double HalfWidths::sum() const {
  return std::sqrt(squares_ + shared_ * shared_);
}

Result<Merged> merge_reports(std::vector<StatFile> files, std::span<const Metric> known) {
  TACHO_TRY(check_alike(files));
  Merged merged;
  merged.files = std::move(files);
  warn_of_failures(merged);
  warn_of_pmus(merged);
  for (const std::string& name : names_of(merged.files, &Summary::events))
    merged.events.push_back(merge_event(name, merged));
  for (const std::string& name : names_of(merged.files, &Summary::metrics)) {
    MergedMetric metric = merge_metric(name, merged, known);
    if (metric.spread.files > 0) merged.metrics.push_back(std::move(metric));
  }
  merge_run(merged);
  warn_of_warnings(merged);
  return merged;
}

}  // namespace tacho
