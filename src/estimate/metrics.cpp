#include "estimate/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "estimate/core_sums.hpp"
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

// The parts of the events of a formula, one after the other, and what the formula makes of them.
// Most events have one part; on unequal cores an event may be the sum of several.
struct Parts {
  std::vector<const EventEstimate*> events;
  std::vector<std::size_t> argument;  // by part: the formula's argument that it belongs to
  std::size_t arguments = 0;

  std::vector<double> sums(std::span<const double> values) const {
    std::vector<double> result(arguments);
    for (std::size_t i = 0; i < values.size(); ++i) result[argument[i]] += values[i];
    return result;
  }
};

// Why a metric of an event on some cores and an event on all cores means nothing; empty if it has
// none of both. Parts of a sum are on all cores together.
std::string mixture_of_cores(const Parts& parts) {
  constexpr double kNearlyAll = 0.995;
  const auto on_some = [](const EventEstimate* event) {
    return !event->summary.pmu.empty() && event->summary.part_of.empty() &&
           event->summary.share < kNearlyAll;
  };
  const auto some = std::ranges::find_if(parts.events, on_some);
  const auto all = std::ranges::find_if_not(parts.events, on_some);
  if (some == parts.events.end() || all == parts.events.end()) return {};
  return fmt::format("{} counts on {} alone, and {} on all cores", (*some)->summary.name,
                     (*some)->summary.pmu, (*all)->summary.name);
}

MetricSummary evaluate(const Metric& metric, const Parts& parts) {
  MetricSummary summary{metric.name, metric.unit, {}, {}, {}, metric.formula.subtracts()};
  std::vector<double> values;
  std::vector<Argument> arguments;
  for (const EventEstimate* event : parts.events) {
    if (!event->summary.estimate) {
      summary.reason = fmt::format("needs {}, which was not counted", event->summary.name);
      return summary;
    }
    values.push_back(*event->summary.estimate);
    arguments.push_back(
        {values.back(), event->scale, event->turns ? &event->ratio : nullptr, event->turns});
  }
  const auto formula = [&](std::span<const double> at) {
    return metric.formula.evaluate(parts.sums(at));
  };
  const double value = formula(values);
  if (!std::isfinite(value)) {
    summary.reason = "division by zero: none of what it divides by was counted";
    return summary;
  }
  summary.value = value;
  if (std::string mixture = mixture_of_cores(parts); !mixture.empty()) {
    summary.value = std::nullopt;
    summary.reason = std::move(mixture);
    return summary;
  }
  for (const EventEstimate* event : parts.events) {
    if (event->summary.ci95) continue;
    summary.reason = fmt::format("no interval: {}: {}", event->summary.name, event->summary.reason);
    return summary;
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += parts.events[i]->summary.shared95;
  summary.shared95 = std::fabs(formula(values) - value);
  summary.ci95 = half_width95(formula, arguments);
  if (!summary.ci95) summary.reason = "no interval: the value depends on a single round";
  return summary;
}

// Parts that belong to other CPUs are left out, unless there is no other part.
Parts parts_of(std::span<const AskedEvent> asked, std::span<const std::size_t> found,
               const Estimates& estimates) {
  Parts parts;
  for (const std::size_t event : found) {
    const auto counted = [&](std::size_t part) { return !estimates.events[part].elsewhere; };
    const bool any = std::ranges::any_of(asked[event].parts, counted);
    for (const std::size_t part : asked[event].parts) {
      if (any && !counted(part)) continue;
      parts.events.push_back(&estimates.events[part]);
      parts.argument.push_back(parts.arguments);
    }
    ++parts.arguments;
  }
  return parts;
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
  const std::vector<AskedEvent> events = asked_events(estimates);
  std::vector<std::string> asked;
  for (const AskedEvent& event : events) asked.push_back(event.name);
  std::vector<MetricSummary> summaries;
  for (const Metric& metric : metrics) {
    const std::vector<std::size_t> found = events_of(metric.formula, asked);
    if (found.empty()) continue;
    std::string mixture = mixture_of_modes(metric.formula, found, asked);
    if (!mixture.empty()) {
      summaries.push_back({metric.name, metric.unit, {}, {}, std::move(mixture)});
      continue;
    }
    summaries.push_back(evaluate(metric, parts_of(events, found, estimates)));
  }
  return summaries;
}

}  // namespace tacho
