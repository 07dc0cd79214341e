// Metrics: formulas over the estimates of events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/estimates.hpp"
#include "events/metric.hpp"

namespace tacho {

// The event that a formula's name means, among these: the first of exactly that name; else the only
// one whose name is the same without its modifiers (`instructions:u` for `instructions`); else
// none.
std::optional<std::size_t> event_of(std::string_view name, std::span<const std::string> names);

// One a metric whose events were all asked for.
std::vector<MetricSummary> evaluate_metrics(const Estimates&, std::span<const Metric> metrics);

}  // namespace tacho
