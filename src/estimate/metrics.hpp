// Evaluates metrics: formulas over the estimates of events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/event_estimates.hpp"
#include "events/metric.hpp"

namespace tacho {

// Returns the event that a name in a formula means: the first event of exactly this name. If there
// is none, it is the only event whose name is the same without its modifiers (`instructions:u` for
// `instructions`), or none.
std::optional<std::size_t> event_of(std::string_view name, std::span<const std::string> names);

// Returns the events that the names in a formula mean, in their order. Empty if one is missing.
std::vector<std::size_t> events_of(const Formula&, std::span<const std::string> names);

// Returns the reason why these events cannot be combined in one formula, or an empty text. The
// reason is that they count different modes, for example one in user mode and one in all modes.
// Clocks may be combined with any mode, because they count all the time. So may events that the
// formula names with their modifiers.
std::string mixture_of_modes(const Formula&, std::span<const std::size_t> events,
                             std::span<const std::string> names);

// Returns one summary for each metric whose events were all requested.
std::vector<MetricSummary> evaluate_metrics(const Estimates&, std::span<const Metric> metrics);

}  // namespace tacho
