#include "stat/metric_choice.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "events/find_data.hpp"

namespace tacho {
namespace {

// Adds the metrics that are not there yet: two sets may name one metric, and the first metrics.toml
// has precedence.
void add_new(std::span<const Metric> more, std::vector<Metric>& metrics) {
  for (const Metric& metric : more)
    if (std::ranges::find(metrics, metric.name, &Metric::name) == metrics.end())
      metrics.push_back(metric);
}

}  // namespace

Result<MetricChoice> MetricChoice::of(std::vector<EventSet> sets, bool every) {
  MetricChoice choice;
  choice.sets_ = std::move(sets);
  choice.every_ = every;
  choice.waiting_ = only_shipped_metrics(choice.sets_);
  if (!choice.waiting_)
    if (auto read = choice.read(); !read) return std::unexpected(read.error());
  return choice;
}

void MetricChoice::complete() {
  if (!std::exchange(waiting_, false)) return;
  if (auto done = read(); !done) {
    error_ = done.error();
    metrics_.clear();
  }
}

Result<void> MetricChoice::read() {
  const auto known = known_metrics();
  if (!known) return std::unexpected(known.error());
  for (const EventSet& set : sets_) {
    const auto named = metrics_of(set, *known);
    if (!named) return std::unexpected(named.error());
    add_new(*named, metrics_);
  }
  if (every_) add_new(*known, metrics_);
  return {};
}

}  // namespace tacho
