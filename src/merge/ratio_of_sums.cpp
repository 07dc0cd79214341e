// A ratio over all files. Each file has its own ratio R_i = a_i / b_i with an interval that knows
// how a_i and b_i depend on each other. So the ratio of the sums is computed from these, as their
// mean with the weights b_i, and not from the sums.
#include <algorithm>
#include <cmath>

#include "estimate/metrics.hpp"
#include "merge/merged.hpp"

namespace tacho {
namespace {

// The ratio of one file, and the event that it is divided by.
struct FileRatio {
  const MetricSummary* ratio;
  const EventSummary* divisor;
};

// The user may have another metric of this name, so the formula must give the file's own value.
bool gives_its_value(const Metric& metric, const StatFile& file, std::span<const std::string> names,
                     double value) {
  constexpr double kRounded = 0.01;  // estimates in JSON are whole numbers
  std::vector<double> values;
  for (const std::size_t i : events_of(metric.formula, names))
    values.push_back(file.summary.events[i].estimate.value_or(NAN));
  if (values.size() != metric.formula.names().size()) return false;
  const double computed = metric.formula.evaluate(values);
  return std::abs(computed - value) <= kRounded * std::abs(value);  // false for NAN
}

std::optional<FileRatio> ratio_in(const StatFile& file, const Metric& metric,
                                  const std::string& divisor) {
  const auto its = std::ranges::find(file.summary.metrics, metric.name, &MetricSummary::name);
  if (its == file.summary.metrics.end() || !its->value || its->unit != metric.unit)
    return std::nullopt;
  std::vector<std::string> names;
  for (const EventSummary& event : file.summary.events) names.push_back(event.name);
  const auto place = event_of(divisor, names);
  if (!place || !gives_its_value(metric, file, names, *its->value)) return std::nullopt;
  return FileRatio{&*its, &file.summary.events[*place]};
}

}  // namespace

std::optional<MetricSummary> ratio_of_sums(std::string_view name, std::span<const StatFile> files,
                                           std::span<const Metric> known) {
  const auto metric = std::ranges::find(known, name, &Metric::name);
  if (metric == known.end()) return std::nullopt;
  const auto divisor = metric->formula.divisor();
  if (!divisor) return std::nullopt;
  std::vector<FileRatio> ratios;
  double whole = 0, dividend = 0;
  for (const StatFile& file : files) {
    const auto its = ratio_in(file, *metric, *divisor);
    if (!its) return std::nullopt;
    ratios.push_back(*its);
    whole += *its->divisor->estimate;
    dividend += *its->ratio->value * *its->divisor->estimate;
  }
  if (whole <= 0) return std::nullopt;
  MetricSummary merged = *ratios.front().ratio;
  merged.value = dividend / whole;
  bool has_interval = true;
  HalfWidths half_widths;
  // d(Σ a / Σ b) = Σ (b_i dR_i + (R_i - R) db_i) / Σ b, where d is an error.
  for (const FileRatio& its : ratios) {
    has_interval = has_interval && its.ratio->ci95 && its.divisor->ci95;
    half_widths.add(its.ratio->ci95.value_or(0), its.ratio->shared95,
                    *its.divisor->estimate / whole);
    half_widths.add(its.divisor->ci95.value_or(0), its.divisor->shared95,
                    (*its.ratio->value - *merged.value) / whole);
  }
  merged.ci95 = has_interval ? std::optional(half_widths.sum()) : std::nullopt;
  merged.shared95 = half_widths.shared();
  merged.reason = has_interval ? "" : "a file has no interval";
  return merged;
}

}  // namespace tacho
