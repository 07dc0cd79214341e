#include "profile/row_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "estimate/metrics.hpp"
#include "stats/normal.hpp"

namespace tacho {
namespace {

// Samples are taken as events of a Poisson process: the variance of a sum of periods is the sum of
// their squares. A sum of few periods is skewed, its logarithm much less, so each sum has an
// interval in logarithms. The metric is evaluated at both ends of each interval, and the changes
// are combined as independent, upwards and downwards (MOVER: G. Y. Zou and A. Donner, Statistics in
// Medicine 27 (2008)). The half-width is the larger of both. Events that were sampled each time are
// exact. See docs/reference/profiles.md.
RowMetric evaluate(const Metric& metric, std::span<const std::size_t> events,
                   std::span<const SampleCount> counts, std::span<const std::size_t> numbers,
                   const Profile& profile) {
  RowMetric made{metric.name, metric.unit, {}, 0, metric.formula.subtracts()};
  std::vector<double> values;
  for (const std::size_t event : events) {
    if (counts[event].samples < kFewestSamples && !profile.is_exact(numbers[event])) return made;
    values.push_back(static_cast<double>(counts[event].sum) * profile.scale(numbers[event]));
  }
  const double value = metric.formula.evaluate(values);
  double up = 0, down = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (profile.is_exact(numbers[events[i]])) continue;
    const double sum = values[i];
    const double root = std::sqrt(counts[events[i]].squares) * profile.scale(numbers[events[i]]);
    const double factor = std::exp(kTwoSided95 * root / sum);
    values[i] = sum * factor;
    const double more = metric.formula.evaluate(values) - value;
    values[i] = sum / factor;
    const double less = metric.formula.evaluate(values) - value;
    values[i] = sum;
    up = std::hypot(up, std::max({more, less, 0.0}));
    down = std::hypot(down, std::min({more, less, 0.0}));
  }
  const double half = std::max(up, down);
  if (!std::isfinite(value) || !std::isfinite(half)) return made;
  made.value = value;
  made.ci95 = half;
  return made;
}

}  // namespace

RowMetrics::RowMetrics(std::span<const Metric> metrics, std::span<const SampledEvent> sampled,
                       const Profile& profile)
    : profile_(&profile) {
  std::vector<std::string> names;
  for (const SampledEvent& each : sampled) {
    names.push_back(each.name);
    numbers_.push_back(each.number);
  }
  for (const Metric& metric : metrics) {
    std::vector<std::size_t> events = events_of(metric.formula, names);
    if (!events.empty() && mixture_of_modes(metric.formula, events, names).empty())
      possible_.emplace_back(&metric, std::move(events));
  }
}

std::vector<RowMetric> RowMetrics::of(std::span<const SampleCount> counts) const {
  std::vector<RowMetric> made;
  for (const auto& [metric, events] : possible_)
    made.push_back(evaluate(*metric, events, counts, numbers_, *profile_));
  return made;
}

}  // namespace tacho
