#include "estimate/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "events/modifiers.hpp"

namespace tacho {
namespace {

// Returns the modifiers that restrict the modes in which the event counts; empty for all modes.
std::string modes_of(std::string_view event) {
  const std::string_view letters = split_modifiers(event).second;
  std::string modes;
  for (const std::string_view pair : {"uk", "GH"}) {
    std::string named;
    for (const char letter : pair)
      if (letters.contains(letter)) named += letter;
    if (named != pair) modes += named;
  }
  if (modes.empty() && letters == "h") modes = letters;
  return modes;
}

MetricSummary evaluate(const Metric& metric, std::span<const EventEstimate* const> events) {
  MetricSummary summary{metric.name, metric.unit, {}, {}, {}, metric.formula.subtracts()};
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
  if (!summary.ci95) summary.reason = "no interval: the value depends on a single round";
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

std::vector<std::size_t> events_of(const Formula& formula, std::span<const std::string> names) {
  std::vector<std::size_t> events;
  for (const std::string& name : formula.names()) {
    const auto found = event_of(name, names);
    if (!found) return {};
    events.push_back(*found);
  }
  return events;
}

std::string mixture_of_modes(const Formula& formula, std::span<const std::size_t> events,
                             std::span<const std::string> names) {
  // If the formula names an event with its modifiers, they are intended. A name without modifiers
  // is then all modes.
  const auto is_clock = [](std::string_view event) {
    const std::string_view name = split_modifiers(event).first;
    return name == "task-clock" || name == "cpu-clock";
  };
  std::optional<std::size_t> first, clock, part_of_cycles;
  std::string modes;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string& name = names[events[i]];
    if (is_clock(name)) {
      clock = events[i];
      continue;
    }
    const std::string of_this = name == formula.names()[i] ? std::string() : modes_of(name);
    if (first && of_this != modes)
      return fmt::format("{} and {} count different modes: ask for the same modifiers of both",
                         names[*first], name);
    first = events[i];
    modes = of_this;
    if (!of_this.empty() && formula.names()[i] == "cycles") part_of_cycles = events[i];
  }
  // The rate of an event of some modes per time of all modes is useful; a clock rate would be too
  // low.
  if (clock && part_of_cycles)
    return fmt::format("{} leaves modes out in which {} counts: their ratio is not a clock rate",
                       names[*part_of_cycles], names[*clock]);
  return {};
}

std::vector<MetricSummary> evaluate_metrics(const Estimates& estimates,
                                            std::span<const Metric> metrics) {
  std::vector<std::string> asked;
  for (const EventEstimate& event : estimates.events) asked.push_back(event.summary.name);
  std::vector<MetricSummary> summaries;
  for (const Metric& metric : metrics) {
    const std::vector<std::size_t> found = events_of(metric.formula, asked);
    if (found.empty()) continue;
    std::string mixture = mixture_of_modes(metric.formula, found, asked);
    if (!mixture.empty()) {
      summaries.push_back({metric.name, metric.unit, {}, {}, std::move(mixture)});
      continue;
    }
    std::vector<const EventEstimate*> events;
    for (const std::size_t event : found) events.push_back(&estimates.events[event]);
    summaries.push_back(evaluate(metric, events));
  }
  return summaries;
}

}  // namespace tacho
