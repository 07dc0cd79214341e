// Metrics with intervals.
#include "analysis/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "events/modifiers.hpp"

namespace tacho {
namespace {

// The events of a formula's names, in their order; empty when one was not asked for.
std::vector<const EventEstimate*> events_of(const Formula& formula, const Estimates& estimates,
                                            std::span<const std::string> asked) {
  std::vector<const EventEstimate*> events;
  for (const std::string& name : formula.names()) {
    const auto found = event_of(name, asked);
    if (!found) return {};
    events.push_back(&estimates.events[*found]);
  }
  return events;
}

MetricSummary evaluate(const Metric& metric, std::span<const EventEstimate* const> events) {
  MetricSummary summary{metric.name, metric.unit, {}, {}, {}};
  std::vector<double> values;
  std::vector<Argument> arguments;
  for (const EventEstimate* event : events) {
    if (!event->summary.estimate) {
      summary.reason = fmt::format("needs {}, which was not counted", event->summary.name);
      return summary;
    }
    values.push_back(*event->summary.estimate);
    arguments.push_back(
        {values.back(), event->scale, event->turns ? &event->ratio : nullptr, event->turns});
  }
  const auto formula = [&](std::span<const double> at) { return metric.formula.evaluate(at); };
  const double value = formula(values);
  if (!std::isfinite(value)) {
    summary.reason = "division by zero: none of what it divides by was counted";
    return summary;
  }
  summary.value = value;
  for (const EventEstimate* event : events) {
    if (event->summary.ci95) continue;
    summary.reason = fmt::format("no interval: {}: {}", event->summary.name, event->summary.reason);
    return summary;
  }
  summary.ci95 = half_width95(formula, arguments);
  if (!summary.ci95) summary.reason = "no interval: the value hangs on a single round";
  return summary;
}

}  // namespace

std::optional<std::size_t> event_of(std::string_view name, std::span<const std::string> names) {
  std::optional<std::size_t> similar;
  bool several = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
    if (!names[i].starts_with(name) || split_modifiers(names[i]).first != name) continue;
    several = similar.has_value();
    similar = i;
  }
  return several ? std::nullopt : similar;
}

std::vector<MetricSummary> evaluate_metrics(const Estimates& estimates,
                                            std::span<const Metric> metrics) {
  std::vector<std::string> asked;
  for (const EventEstimate& event : estimates.events) asked.push_back(event.summary.name);
  std::vector<MetricSummary> summaries;
  for (const Metric& metric : metrics) {
    const auto events = events_of(metric.formula, estimates, asked);
    if (!events.empty()) summaries.push_back(evaluate(metric, events));
  }
  return summaries;
}

}  // namespace tacho
