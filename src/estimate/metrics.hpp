// Metrics: formulas over the estimates of events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/event_estimates.hpp"
#include "events/metric.hpp"

namespace tacho {

// The event that a formula's name means, among these: the first of exactly that name; else the only
// one whose name is the same without its modifiers (`instructions:u` for `instructions`); else
// none.
std::optional<std::size_t> event_of(std::string_view name, std::span<const std::string> names);

// The events that a formula's names mean, in their order; empty when one is not among these.
std::vector<std::size_t> events_of(const Formula&, std::span<const std::string> names);

// Why these events can't stand in one formula: they count different modes, such as one the user's
// alone and one the kernel's, too. Clocks go with any, as they count all time; so does what the
// formula itself names with its modifiers. Empty: nothing speaks against it.
std::string mixture_of_modes(const Formula&, std::span<const std::size_t> events,
                             std::span<const std::string> names);

// One a metric whose events were all asked for.
std::vector<MetricSummary> evaluate_metrics(const Estimates&, std::span<const Metric> metrics);

}  // namespace tacho
